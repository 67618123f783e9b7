// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// A parent of a controller whose last reconcile failed, as an example for users. It stays the same
/// while this parent fails, so that the shown example rarely changes. A value.
class FailingExample {
 public:
  void OnFailure(KeyId key, std::string text) {
    if (key_ && *key_ != key) return;
    key_ = key;
    text_ = std::move(text);
  }
  /// The last reconcile of the parent succeeded, or the parent is gone.
  void OnSuccess(KeyId key) {
    if (key_ == key) *this = FailingExample();
  }
  /// The parent and what failed; empty if no failure is known.
  const std::string& text() const { return text_; }

  bool operator==(const FailingExample&) const = default;

 private:
  std::optional<KeyId> key_;
  std::string text_;
};

}  // namespace xebec::watcher
