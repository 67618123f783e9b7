// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/live_reads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/cache/lists/list_method.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxFailures = 10;

// The Warning Events of an object, with the fields that explain a failure.
LiveList EventsOf(const ObjectRef& ref, ReadId id, uint32_t limit) {
  const kube::Projection projection{.fields = {"involvedObject.uid", "reason", "message",
                                               "lastTimestamp", "eventTime",
                                               "series.lastObservedTime"}};
  return {.read = id,
          .type = LiveReads::EventType(),
          .ns = ref.ns,
          .projection = projection,
          .limit = limit,
          .field_selector = absl::StrCat("type=Warning,involvedObject.kind=", ref.type.kind,
                                         ",involvedObject.name=", ref.name)};
}

// Every API server serves the core group. If a list of it is missing, the answer comes from another
// server, as does one about an object without the reason of an API server.
bool SaysAbsent(const ApiFailure& failure, const LiveRead& read) {
  if (failure.http_status != kHttpNotFound) return false;
  if (!read.ref.type.group.empty()) return true;
  return failure.reason == "NotFound" && !read.ref.name.empty() && !read.by_list;
}

}  // namespace

const ResourceType& LiveReads::EventType() {
  static const ResourceType type{"", "v1", "Event", "events"};
  return type;
}

LiveReads::LiveReads(ReadPurpose purpose, std::vector<ObjectRef> refs) : purpose_(purpose) {
  for (ObjectRef& ref : refs) reads_.push_back(LiveRead{.id = 0, .ref = std::move(ref)});
}

void LiveReads::Send(const CacheSet& cache, uint32_t limit, Sequences* sequences, Outputs* out) {
  attempt_ = {};
  const uint32_t page = std::max(1u, limit >> std::min(broken_off_, kMaxFailures));
  for (LiveRead& read : reads_) {
    if (read.id != 0 && !read.failed) continue;
    read.id = ++sequences->last_read;
    read.failed = false;
    if (purpose_ == ReadPurpose::kEvents) {
      out->push_back(EventsOf(read.ref, read.id, page));
      continue;
    }
    const WatchId* watch = cache.watches().Find(read.ref.type, read.ref.ns);
    const ResourceSpec spec =
        watch == nullptr ? ResourceSpec{} : cache.watches().reflector(*watch).spec();
    if (read.ref.name.empty() || read.by_list) {
      out->push_back(LiveList{read.id, read.ref.type, read.ref.ns, spec.label_selector,
                              spec.projection, page});
    } else {
      out->push_back(LiveGet{read.id, read.ref, spec.projection});
    }
  }
}

absl::Duration LiveReads::RetryDelay(const Backoff& backoff, uint64_t seed) const {
  return std::max(BackoffDelay(backoff, failures_ - 1, seed), attempt_.retry_after);
}

bool LiveReads::exhausted() const { return failures_ >= kMaxFailures; }

void LiveReads::AdaptToFailures(const CacheSet& cache) {
  for (LiveRead& read : reads_) {
    const WatchId* watch = cache.watches().Find(read.ref.type, read.ref.ns);
    const bool unavailable = watch == nullptr || cache.watches().reflector(*watch).availability() ==
                                                     Availability::kUnavailable;
    read.done |= read.failed && unavailable;
    read.failed &= !read.done;
    read.by_list |= read.failed && read.forbidden && exhausted();
  }
}

LiveRead* LiveReads::Find(ReadId id) {
  const auto found = std::find_if(reads_.begin(), reads_.end(), [id](const LiveRead& read) {
    return read.id == id && !read.done && !read.failed;
  });
  return found == reads_.end() ? nullptr : &*found;
}

bool LiveReads::Take(const LiveArrived& answer) {
  LiveRead* read = Find(answer.read);
  if (read == nullptr) return false;
  for (const kube::DecodedObject& object : answer.objects) {
    if (object.json == nullptr) continue;  // not owned by a parent of ours
    if (read->by_list && object.header.name != read->ref.name) continue;
    read->found.emplace_back(ObjectKey{object.header.ns, object.header.name}, ToStored(object));
  }
  read->done = true;
  return true;
}

LiveReads::Failure LiveReads::Fail(const LiveFailed& failure) {
  LiveRead* read = Find(failure.read);
  if (read == nullptr) return Failure::kNotAwaited;
  if (purpose_ == ReadPurpose::kEvents) {
    read->done = true;
    return Failure::kUnanswered;
  }
  const bool absent = SaysAbsent(failure.failure, *read);
  read->done = absent;
  read->failed = !absent;
  read->forbidden = IsForbidden(failure.failure);
  if (!absent) Count(failure.failure, *read);
  return absent ? Failure::kAbsent : Failure::kFailed;
}

void LiveReads::Count(const ApiFailure& failure, const LiveRead& read) {
  const bool list = read.ref.name.empty() || read.by_list;
  if (!std::exchange(attempt_.failed, true)) ++failures_;
  if (list && BrokeOff(failure) && !std::exchange(attempt_.broke_off, true)) ++broken_off_;
  attempt_.retry_after = std::max(attempt_.retry_after, RequestedPause(failure));
}

bool LiveReads::done() const {
  return std::all_of(reads_.begin(), reads_.end(), [](const LiveRead& read) { return read.done; });
}

std::vector<ReadId> LiveReads::Outstanding() const {
  std::vector<ReadId> ids;
  for (const LiveRead& read : reads_) {
    if (read.id != 0 && !read.done && !read.failed) ids.push_back(read.id);
  }
  return ids;
}

}  // namespace xebec::watcher
