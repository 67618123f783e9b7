// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/lease_gateway.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/kube/lease.h"
#include "common/model/assignment.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/service/api_failure.h"

namespace xebec::watcher {
namespace {

constexpr int kOk = 200;
constexpr int kCreated = 201;
constexpr int kConflict = 409;
constexpr char kCannotBeRead[] = " cannot be read; delete it, and it is written again";
constexpr absl::Duration kRetryDelay = absl::Seconds(1);
constexpr absl::Duration kHealthyWatch = absl::Seconds(10);
constexpr absl::Duration kWatchTimeout = absl::Minutes(5);

std::string Content(const kube::Lease& lease, LeaseNumber number) {
  const std::string_view name =
      number == kAssignmentLease ? kAssignmentAnnotation : kMemberAnnotation;
  const auto found = lease.annotations.find(std::string(name));
  return found == lease.annotations.end() ? "" : found->second;
}

absl::StatusOr<LeaseSeen> Seen(LeaseNumber number, std::string_view json) {
  absl::StatusOr<kube::Lease> lease = kube::DecodeLease(json);
  if (!lease.ok()) return lease.status();
  return LeaseSeen{.lease = number,
                   .exists = true,
                   .holder = lease->holder,
                   .transitions = lease->transitions,
                   .duration = lease->duration,
                   .renew_time = lease->renew_time,
                   .content = Content(*lease, number),
                   .resource_version = lease->resource_version};
}

/// Turns the watch of the Leases into LeasesSeen inputs; on the HTTP thread.
class LeaseReader {
 public:
  LeaseReader(LeaseLocation location, MessageQueue* queue)
      : location_(std::move(location)), queue_(queue) {}

  void OnChunk(std::string_view chunk) {
    LeasesSeen seen;
    lines_.Feed(chunk, [&](std::string_view line) { OnLine(line, &seen); }).IgnoreError();
    if (!seen.leases.empty()) queue_->Push(Input(std::move(seen)));
  }

 private:
  void OnLine(std::string_view line, LeasesSeen* seen) {
    absl::StatusOr<kube::WatchEvent> event = kube::DecodeWatchLine(line, {});
    if (!event.ok()) return;
    const kube::ObjectHeader& header = event->object.header;
    const std::optional<LeaseNumber> lease = LeaseOfName(location_, header.name);
    if (!lease) return;
    if (event->type == kube::WatchEventType::kDeleted) {
      LeaseSeen absent;
      absent.lease = *lease;
      absent.resource_version = header.resource_version;
      seen->leases.push_back(std::move(absent));
    } else if (event->type == kube::WatchEventType::kAdded ||
               event->type == kube::WatchEventType::kModified) {
      absl::StatusOr<LeaseSeen> state = Seen(*lease, *event->object.json);
      if (state.ok()) seen->leases.push_back(*std::move(state));
    }
  }

  const LeaseLocation location_;
  MessageQueue* const queue_;
  kube::LineSplitter lines_;
};

}  // namespace

std::string LeaseName(const LeaseLocation& location, LeaseNumber lease) {
  if (lease == kAssignmentLease) return location.prefix + "assignment";
  return absl::StrCat(location.prefix, lease);
}

std::optional<LeaseNumber> LeaseOfName(const LeaseLocation& location, std::string_view name) {
  for (LeaseNumber lease = 0; lease <= kAssignmentLease; ++lease) {
    if (name == LeaseName(location, lease)) return lease;
  }
  return std::nullopt;
}

LeaseGateway::LeaseGateway(LeaseLocation location, absl::Duration request_timeout,
                           http::ApiClient* client, MessageQueue* queue, DelayedPost later)
    : location_(std::move(location)),
      request_timeout_(request_timeout),
      client_(client),
      queue_(queue),
      later_(std::move(later)) {}

void LeaseGateway::Start() { List(); }

void LeaseGateway::Stop() {
  stopped_ = true;
  if (watch_ != nullptr) watch_->CancelAsync();  // a callback may be waiting for space in the queue
  watch_.reset();
}

void LeaseGateway::List() {
  list_due_ = true;
  Next();
}

/// Lists the Leases while the watch continues.
void LeaseGateway::Reread() {
  reread_due_ = true;
  Next();
}

void LeaseGateway::Next() {
  if (stopped_ || reading_ || !(list_due_ || reread_due_)) return;
  reading_ = true;
  reread_due_ = false;
  Get(std::exchange(list_due_, false) ? &LeaseGateway::OnList : &LeaseGateway::OnReread);
}

void LeaseGateway::Get(Answered then) {
  client_->Send(
      {.method = "GET",
       .path = kube::CollectionPath(kube::LeaseType(), location_.ns),
       .content_type = "",
       .body = ""},
      [self = shared_from_this(), then](const kube::ApiResponse& response) {
        self->queue_->Push(Task([self, then, response] { ((*self).*then)(response); }));
      },
      request_timeout_);
}

void LeaseGateway::OnList(const kube::ApiResponse& response) {
  const absl::StatusOr<std::string> resource_version = PostLeases(response);
  if (!resource_version.ok()) return Again(&LeaseGateway::List);
  reading_ = false;
  Watch(*resource_version);
  Next();
}

/// The engine cannot tell which watchers live until a list succeeds.
void LeaseGateway::OnReread(const kube::ApiResponse& response) {
  if (!PostLeases(response).ok()) return Again(&LeaseGateway::Reread);
  reading_ = false;
  Next();
}

/// Posts the Leases in a list to the engine. Returns the resourceVersion of the list.
absl::StatusOr<std::string> LeaseGateway::PostLeases(const kube::ApiResponse& response) {
  if (response.status != kOk) {
    queue_->PushNow(Input(LeasesReadFailed{FailureOf(response)}));
    return absl::UnavailableError("not listed");
  }
  absl::StatusOr<kube::ListPage> page = kube::DecodeListPage(response.body, kube::LeaseType(), {});
  if (!page.ok()) return Unreadable("the list of Leases cannot be read", page.status());
  LeasesSeen seen{.complete = true, .resource_version = page->resource_version};
  for (const kube::DecodedObject& each : page->objects) {
    const std::optional<LeaseNumber> lease = LeaseOfName(location_, each.header.name);
    if (!lease) continue;
    absl::StatusOr<LeaseSeen> state = Seen(*lease, *each.json);
    if (!state.ok()) {
      return Unreadable(absl::StrCat("the Lease ", each.header.name, " in the namespace ",
                                     location_.ns, kCannotBeRead),
                        state.status());
    }
    seen.leases.push_back(*std::move(state));
  }
  queue_->PushNow(Input(std::move(seen)));
  return page->resource_version;
}

absl::Status LeaseGateway::Unreadable(const std::string& what, const absl::Status& why) {
  LeasesReadFailed failed;
  failed.failure.message = absl::StrCat(what, ": ", why.message());
  queue_->PushNow(Input(std::move(failed)));
  return why;
}

void LeaseGateway::Watch(const std::string& resource_version) {
  if (stopped_) return;
  const std::string path = absl::StrCat(
      kube::CollectionPath(kube::LeaseType(), location_.ns),
      "?watch=1&allowWatchBookmarks=true&timeoutSeconds=", absl::ToInt64Seconds(kWatchTimeout),
      "&resourceVersion=", kube::QueryEscape(resource_version));
  watch_began_ = ReadClock().monotonic;
  auto reader = std::make_shared<LeaseReader>(location_, queue_);
  watch_ = client_->Watch(
      {.method = "GET", .path = path, .content_type = "", .body = ""},
      kWatchTimeout + absl::Seconds(30),
      {.on_status = [](int) {},
       .on_chunk = [reader](std::string_view chunk) { reader->OnChunk(chunk); },
       .on_end =
           [self = shared_from_this()](const kube::ApiResponse& response) {
             self->queue_->Push(Task([self, response] { self->OnWatchEnd(response); }));
           }});
}

void LeaseGateway::OnWatchEnd(const kube::ApiResponse& response) {
  const bool clean = response.status == kOk && response.error == kube::TransportError::kNone;
  const bool lasted = ReadClock().monotonic - watch_began_ >= kHealthyWatch;
  if (clean && lasted) return List();
  later_(kRetryDelay, [self = shared_from_this()] { self->List(); });
}

void LeaseGateway::Again(Read read) {
  later_(kRetryDelay, [self = shared_from_this(), read] {
    self->reading_ = false;
    ((*self).*read)();
  });
}

void LeaseGateway::Do(const WriteLease& write) {
  const std::string now = kube::FormatMicroTime(ReadClock().wall);
  if (write.acquire) acquire_times_[write.lease] = now;
  const std::string_view annotation =
      write.lease == kAssignmentLease ? kAssignmentAnnotation : kMemberAnnotation;
  kube::Lease lease{.ns = location_.ns,
                    .name = LeaseName(location_, write.lease),
                    .holder = write.holder,
                    .transitions = write.transitions,
                    .duration = write.duration,
                    .renew_time = now,
                    .acquire_time = acquire_times_[write.lease],
                    .resource_version = write.resource_version};
  if (!write.content.empty()) lease.annotations[std::string(annotation)] = write.content;
  const ObjectRef ref{kube::LeaseType(), lease.ns, lease.name};
  const kube::ApiRequest request{
      .method = write.create ? "POST" : "PUT",
      .path = write.create ? kube::CollectionPath(ref.type, ref.ns) : kube::ObjectPath(ref),
      .content_type = kube::kJsonContentType,
      .body = kube::EncodeLease(lease)};
  client_->Send(
      request,
      [self = shared_from_this(), number = write.lease](const kube::ApiResponse& response) {
        self->OnWritten(number, response);
      },
      request_timeout_);
}

/// Runs on the HTTP thread.
void LeaseGateway::OnWritten(LeaseNumber lease, const kube::ApiResponse& response) {
  const bool ok = response.status == kOk || response.status == kCreated;
  absl::StatusOr<LeaseSeen> seen =
      ok ? Seen(lease, response.body) : absl::StatusOr<LeaseSeen>(absl::UnknownError("refused"));
  if (seen.ok()) {
    LeasesSeen one;
    one.leases.push_back(*std::move(seen));
    queue_->Push(Input(std::move(one)));
    return;
  }
  queue_->Push(Input(LeaseWriteFailed{lease, FailureOf(response)}));
  if (response.status != kConflict) return;
  // The watch may be stalled, so list the Leases too.
  queue_->Push(Task([self = shared_from_this()] { self->Reread(); }));
}

}  // namespace xebec::watcher
