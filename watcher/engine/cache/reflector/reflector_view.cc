// SPDX-License-Identifier: Apache-2.0
// Reflector: how it shows itself.
#include "watcher/engine/cache/reflector/reflector.h"

namespace xebec::watcher {

Availability Reflector::availability() const {
  if (forbidden_ || missing_told_) return Availability::kUnavailable;
  return streams_.cache().complete() ? Availability::kReady : Availability::kPending;
}

std::string Reflector::Explain() const {
  const std::string name = Describe(spec());
  if (missing_told_) return name + " is not served";
  if (forbidden_) return name + " may not be listed or watched (403)";
  if (streams_.following() && streams_.cache().complete()) return name + " is watched";
  const std::string failure = failure_text_.empty() ? "" : ", after a failure: " + failure_text_;
  if (streams_.listing() || streams_.cache().merging()) return name + " is being listed" + failure;
  if (std::holds_alternative<Waiting>(state_)) return name + " is tried again" + failure;
  return name + " is being discovered" + failure;
}

std::string Reflector::Problem() const {
  const bool fails = availability() == Availability::kPending && !failure_text_.empty();
  return fails || availability() == Availability::kUnavailable ? Explain() : "";
}

ResourceFigures Reflector::Figures(absl::Duration now) const {
  ResourceFigures figures;
  figures.type = spec().type;
  figures.ns = spec().ns;
  figures.synced = availability() == Availability::kReady;
  figures.objects = store().objects().size();
  figures.since_last_event = now - last_heard_;
  figures.events = events_;
  figures.relists = streams_.relists();
  figures.errors = errors_;
  return figures;
}

}  // namespace xebec::watcher
