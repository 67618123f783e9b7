// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "watcher/engine/cache/resource_spec.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What a cache holds of its resource, and what it will hold once a wider list and the events of a
/// wider watch have replaced everything narrower. A value.
class Widening {
 public:
  explicit Widening(ResourceSpec held) : held_(std::move(held)) {}

  const ResourceSpec& held() const { return held_; }
  /// What lists and watches request from now on.
  const ResourceSpec& wanted() const { return wider_ ? wider_->spec : held_; }
  bool active() const { return wider_.has_value(); }

  /// Starts to widen the cache to `spec`. Events of `narrow_watch` (0: none) still lack something.
  void Begin(ResourceSpec spec, StreamId narrow_watch);
  /// The cache holds `spec`, or will once it is complete again.
  void Replace(ResourceSpec spec);
  /// The state of an object came from a watch.
  void OnEvent(StreamId watch, const std::string& version);
  /// A list of what is wanted was taken over.
  void OnListed();
  /// Ends the widening if everything up to `cursor` has been seen since the list and nothing narrow
  /// is left. Returns true if it ended.
  bool Complete(const std::string& cursor);
  /// Ends the widening: the cache holds what is wanted, or nothing that counts.
  void Finish();

  bool operator==(const Widening&) const = default;

 private:
  struct Wider {
    ResourceSpec spec;
    StreamId narrow_watch = 0;
    std::string narrow_until = {};  // version of the last event that lacked something
    bool listed = false;
    bool operator==(const Wider&) const = default;
  };

  ResourceSpec held_;
  std::optional<Wider> wider_;
};

}  // namespace xebec::watcher
