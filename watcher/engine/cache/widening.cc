// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/widening.h"

#include "common/kube/resource_version.h"

namespace xebec::watcher {

void Widening::Begin(ResourceSpec spec, StreamId narrow_watch) {
  wider_ = Wider{std::move(spec), narrow_watch};
}

void Widening::Replace(ResourceSpec spec) {
  held_ = std::move(spec);
  wider_.reset();
}

void Widening::OnEvent(StreamId watch, const std::string& version) {
  if (wider_ && watch == wider_->narrow_watch) wider_->narrow_until = version;
}

void Widening::OnListed() {
  if (wider_) wider_->listed = true;
}

// The events that the narrow watch brought beside a wide list come again, from where the list
// stands.
bool Widening::Complete(const std::string& cursor) {
  if (!wider_ || !wider_->listed) return false;
  const auto order = kube::CompareVersions(cursor, wider_->narrow_until);
  if (order.has_value() && *order < 0) return false;
  Finish();
  return true;
}

void Widening::Finish() {
  if (wider_) held_ = std::move(wider_->spec);
  wider_.reset();
}

}  // namespace xebec::watcher
