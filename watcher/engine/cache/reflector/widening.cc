// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/widening.h"

#include "common/kube/resource_version.h"

namespace xebec::watcher {

void Widening::Want(ResourceSpec spec) {
  wanted_ = std::move(spec);
  if (*wanted_ == held_) wanted_.reset();
}

void Widening::Narrow(const kube::BucketFilter& keep) {
  kube::BucketFilter& held = held_.projection.keep;
  held = Intersect(held, keep);
  if (!listing_) return;
  kube::BucketFilter& listed = listing_->spec.projection.keep;
  listed = Intersect(listed, keep);
}

void Widening::Replace(ResourceSpec spec) {
  wanted_ = std::move(spec);
  Finish();
}

void Widening::OnListBegun(StreamId last_stream) { listing_ = Listing{wanted(), last_stream}; }

void Widening::OnEvent(StreamId watch, const std::string& version) {
  if (listing_ && watch <= listing_->narrow_streams) listing_->narrow_until = version;
}

void Widening::OnListed() {
  if (listing_) listing_->listed = true;
}

// The events that the narrow watch brought beside a wide list come again, from where the list
// stands.
bool Widening::Complete(const std::string& cursor) {
  if (!listing_ || !listing_->listed) return false;
  const bool wider = !(listing_->spec == held_);
  const auto order = kube::CompareVersions(cursor, listing_->narrow_until);
  if (wider && order.has_value() && *order < 0) return false;
  held_ = std::move(listing_->spec);
  listing_.reset();
  if (wanted_ && *wanted_ == held_) wanted_.reset();
  return true;
}

void Widening::Finish() {
  if (wanted_) held_ = std::move(*wanted_);
  wanted_.reset();
  listing_.reset();
}

}  // namespace xebec::watcher
