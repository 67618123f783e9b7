// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec::watcher {

/// Decides when the answer of a hook to one parent is checked with a second call. A hook whose
/// decision depends on more than its request changes its children at each reconcile, and each
/// change causes the next reconcile. After about twenty answers in a short time, one answer is
/// checked; after an answer that differed, every answer is checked until two are the same. A value.
class HookDoubt {
 public:
  /// Records an answer. `cached` says that the gateway knew it; `now` is monotonic. Returns true if
  /// the hook must be called once more with the same request.
  bool OnAnswer(bool cached, absl::Duration now);
  /// Two answers to one request were compared.
  void OnCompared(bool same);

  bool operator==(const HookDoubt&) const = default;

 private:
  absl::Duration debt_;  ///< Grows with each answer of the hook itself and decreases with time.
  absl::Duration answered_at_;
  bool differed_ = false;
};

}  // namespace xebec::watcher
