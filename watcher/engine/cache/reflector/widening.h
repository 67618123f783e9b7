// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What a cache holds of its resource, what a list is read for, and what is wanted. Once a wider
/// list and the events of a wider watch have replaced everything narrower, the cache holds what the
/// list was read for. If more is wanted by then, another list has to follow. A value.
class Widening {
 public:
  explicit Widening(ResourceSpec held) : held_(std::move(held)) {}

  const ResourceSpec& held() const { return held_; }
  /// What lists and watches request from now on. It covers held().
  const ResourceSpec& wanted() const { return wanted_ ? *wanted_ : held_; }
  /// More is wanted than held.
  bool active() const { return wanted_.has_value(); }
  /// A list was begun and does not count yet.
  bool listing() const { return listing_.has_value(); }
  /// False if that list is for what `spec` does not cover.
  bool MayList(const ResourceSpec& spec) const { return !listing_ || Covers(spec, listing_->spec); }

  /// Starts to widen the cache. `spec` must cover held().
  void Want(ResourceSpec spec);
  /// The cache holds only what `keep` keeps too.
  void Narrow(const kube::BucketFilter& keep);
  /// The cache holds `spec`, or will once it is complete again.
  void Replace(ResourceSpec spec);
  /// A list of what is wanted begins. Events of streams up to `last_stream` may lack something.
  void OnListBegun(StreamId last_stream);
  /// The state of an object came from a watch.
  void OnEvent(StreamId watch, const std::string& version);
  /// The list was taken over.
  void OnListed();
  /// The cache holds what the list was read for if everything up to `cursor` has been seen since
  /// and nothing narrow is left. Returns true if it does from now on.
  bool Complete(const std::string& cursor);
  /// Ends the widening: the cache holds what is wanted, or nothing that counts.
  void Finish();

  bool operator==(const Widening&) const = default;

 private:
  struct Listing {
    ResourceSpec spec;
    StreamId narrow_streams = 0;    // those up to this one
    std::string narrow_until = {};  // version of their last event
    bool listed = false;
    bool operator==(const Listing&) const = default;
  };

  ResourceSpec held_;
  std::optional<Listing> listing_;
  std::optional<ResourceSpec> wanted_;  // if more than held_
};

}  // namespace xebec::watcher
