// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reflector.h"

#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

// A streaming list that says nothing for that long is given up: a server that does not know the
// option sends the objects and never the bookmark that ends them.
constexpr absl::Duration kListSilence = absl::Seconds(60);

auto Fields(const ResourceSpec& s) {
  return std::tie(s.type, s.ns, s.label_selector, s.projection.fields, s.projection.parent_label,
                  s.projection.controller_kinds);
}

}  // namespace

bool operator==(const ResourceSpec& a, const ResourceSpec& b) { return Fields(a) == Fields(b); }

std::string Describe(const ResourceSpec& spec) {
  const std::string where = spec.ns.empty() ? "" : " in namespace " + spec.ns;
  return ResourceName(spec.type) + where;
}

Reflector::Reflector(ResourceSpec spec, ReflectorPolicy policy)
    : spec_(std::move(spec)), policy_(policy) {}

void Reflector::Start(ReflectorContext& context) {
  if (std::holds_alternative<Idle>(state_)) Discover(context);
}

void Reflector::Stop(ReflectorContext& context) {
  EndStream(context);
  complete_ = false;
  state_ = Idle{};
}

void Reflector::Respecify(ResourceSpec spec, ReflectorContext& context) {
  if (spec == spec_) return;
  spec_ = std::move(spec);
  complete_ = false;
  refresh_ = true;
  Relist("respecified", context);
}

void Reflector::Relist(std::string_view reason, ReflectorContext& context) {
  relist_reason_ = std::string(reason);
  const bool can = std::holds_alternative<Listing>(state_) ||
                   std::holds_alternative<Watching>(state_) ||
                   std::holds_alternative<Waiting>(state_);
  if (auto* discovering = std::get_if<Discovering>(&state_)) discovering->resume = false;
  if (!can) return;  // the list that follows comes from the API server anyway
  if (auto* waiting = std::get_if<Waiting>(&state_)) {
    if (waiting->then == Resume::kWatch) waiting->then = Resume::kList;
    if (waiting->then == Resume::kRediscover) waiting->then = Resume::kDiscover;
    return;
  }
  EndStream(context);
  StartListing(context);
}

void Reflector::Discover(ReflectorContext& context, bool resume) {
  state_ = Discovering{resume};
  context.out->push_back(watcher::Discover{spec_.type});
}

void Reflector::OnDiscovered(const Discovered& answer, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  if (!answer.served) return Disappear(context);
  status_subresource_ = answer.status_subresource;
  scale_subresource_ = answer.scale_subresource;
  if (discovering->resume) return StartWatching(context);
  if (missing_told_) Tell(Note::Level::kInfo, "Kind appeared", "", context);
  missing_told_ = false;
  StartListing(context);
}

void Reflector::OnDiscoveryFailed(const ApiFailure& failure, ReflectorContext& context) {
  const auto* discovering = std::get_if<Discovering>(&state_);
  if (discovering == nullptr) return;
  const Resume then = discovering->resume ? Resume::kRediscover : Resume::kDiscover;
  CountFailure(context.now);
  ++errors_[absl::StrCat(failure.http_status)];
  trouble_ = Describe(failure);
  Tell(Note::Level::kWarning, "Discovery failed", trouble_, context);
  Wait(then, failure.retry_after.value_or(absl::ZeroDuration()), context);
}

void Reflector::Disappear(ReflectorContext& context) {
  // The kind is not served. That says nothing about its objects: the cache stays as it is.
  if (!missing_told_) {
    Tell(
        Note::Level::kWarning, "Kind not served",
        absl::StrCat("no CustomResourceDefinition serves ", ApiVersion(spec_.type),
                     "; looked for again every ", absl::FormatDuration(policy_.discovery_interval)),
        context);
  }
  missing_told_ = true;
  complete_ = false;
  relist_reason_ = "appeared";
  state_ = Absent{context.now + policy_.discovery_interval};
}

bool Reflector::UsesPages() const { return streaming_refused_ || cut_lists_ >= 3; }

void Reflector::StartListing(ReflectorContext& context) {
  ++relists_[relist_reason_];
  Listing listing{0, !UsesPages(), ++lists_begun_, context.now, context.now, {}};
  if (!listing.streaming) return NextPage(std::move(listing), "", context);
  listing.stream = ++*context.last_stream;
  StartWatch wish{.stream = listing.stream,
                  .type = spec_.type,
                  .ns = spec_.ns,
                  .label_selector = spec_.label_selector,
                  .resource_version = "",
                  .initial_events = true,
                  .timeout = policy_.watch_timeout,
                  .projection = spec_.projection};
  state_ = std::move(listing);
  context.out->push_back(std::move(wish));
}

void Reflector::NextPage(Listing listing, const std::string& continue_token,
                         ReflectorContext& context) {
  listing.stream = ++*context.last_stream;
  listing.heard = context.now;
  StartList wish{.stream = listing.stream,
                 .type = spec_.type,
                 .ns = spec_.ns,
                 .label_selector = spec_.label_selector,
                 .continue_token = continue_token,
                 .limit = std::max(1u, policy_.list_page >> page_halvings_),
                 .projection = spec_.projection};
  state_ = std::move(listing);
  context.out->push_back(std::move(wish));
}

void Reflector::StartWatching(ReflectorContext& context) {
  const StreamId stream = ++*context.last_stream;
  context.out->push_back(StartWatch{.stream = stream,
                                    .type = spec_.type,
                                    .ns = spec_.ns,
                                    .label_selector = spec_.label_selector,
                                    .resource_version = store_.watermark(),
                                    .initial_events = false,
                                    .timeout = policy_.watch_timeout,
                                    .projection = spec_.projection});
  state_ = Watching{stream, context.now, false};
}

void Reflector::EndStream(ReflectorContext& context) const {
  if (stream() != 0) context.out->push_back(StopStream{stream()});
}

StreamId Reflector::stream() const {
  if (const auto* listing = std::get_if<Listing>(&state_)) return listing->stream;
  if (const auto* watching = std::get_if<Watching>(&state_)) return watching->stream;
  return 0;
}

Availability Reflector::availability() const {
  if (forbidden_ || std::holds_alternative<Absent>(state_) || missing_told_) {
    return Availability::kUnavailable;
  }
  return complete_ ? Availability::kReady : Availability::kPending;
}

bool Reflector::Backwards(const std::string& version) const {
  if (store_.watermark().empty()) return version.empty();
  const auto order = kube::CompareVersions(version, store_.watermark());
  if (order.has_value()) return *order < 0;
  // Versions that cannot be compared are a server's right; one among others that can is a defect.
  return version.empty() || kube::IsComparable(store_.watermark());
}

bool Reflector::ListsSince(absl::Duration since) const {
  const auto* listing = std::get_if<Listing>(&state_);
  return listed_since_ >= since || (listing != nullptr && listing->began >= since);
}

void Reflector::OnTick(ReflectorContext& context) {
  if (NextDeadline() > context.now) return;
  if (std::holds_alternative<Absent>(state_)) return Discover(context);
  if (const auto* waiting = std::get_if<Waiting>(&state_)) {
    switch (waiting->then) {
      case Resume::kDiscover:
      case Resume::kRediscover:
        return Discover(context, waiting->then == Resume::kRediscover);
      case Resume::kList:
        return StartListing(context);
      case Resume::kWatch:
        return StartWatching(context);
    }
  }
  EndStream(context);  // a silent streaming list
  cut_lists_ = 3;
  Tell(Note::Level::kWarning, "List silent", "no end of the initial events; listing by pages",
       context);
  StartListing(context);
}

absl::Duration Reflector::NextDeadline() const {
  if (const auto* absent = std::get_if<Absent>(&state_)) return absent->retry_at;
  if (const auto* waiting = std::get_if<Waiting>(&state_)) return waiting->until;
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing != nullptr && listing->streaming) return listing->heard + kListSilence;
  return absl::InfiniteDuration();
}

}  // namespace xebec::watcher
