// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/lease_gateway.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/kube/lease.h"
#include "watcher/service/api_gateway.h"

namespace xebec::watcher {
namespace {

constexpr int kOk = 200;
constexpr int kCreated = 201;
constexpr int kConflict = 409;
constexpr absl::Duration kRetryDelay = absl::Seconds(1);
constexpr absl::Duration kHealthyWatch = absl::Seconds(10);
constexpr absl::Duration kWatchTimeout = absl::Minutes(5);

LeaseSeen Absent(uint32_t bucket) {
  LeaseSeen seen;
  seen.bucket = bucket;
  return seen;
}

absl::StatusOr<LeaseSeen> Seen(uint32_t bucket, std::string_view json) {
  absl::StatusOr<kube::Lease> lease = kube::DecodeLease(json);
  if (!lease.ok()) return lease.status();
  LeaseSeen seen;
  seen.bucket = bucket;
  seen.exists = true;
  seen.holder = lease->holder;
  seen.transitions = lease->transitions;
  seen.duration = lease->duration;
  seen.renew_time = lease->renew_time;
  seen.resource_version = lease->resource_version;
  return seen;
}

/// Turns the Lease's watch into LeaseSeen inputs; on the HTTP thread.
class LeaseReader {
 public:
  LeaseReader(uint32_t bucket, MessageQueue* queue) : bucket_(bucket), queue_(queue) {}

  void OnChunk(std::string_view chunk) {
    lines_.Feed(chunk, [&](std::string_view line) { OnLine(line); }).IgnoreError();
  }

 private:
  void OnLine(std::string_view line) {
    absl::StatusOr<kube::WatchEvent> event = kube::DecodeWatchLine(line, {});
    if (!event.ok()) return;
    if (event->type == kube::WatchEventType::kDeleted) queue_->Push(Input(Absent(bucket_)));
    if (event->type != kube::WatchEventType::kAdded &&
        event->type != kube::WatchEventType::kModified) {
      return;
    }
    absl::StatusOr<LeaseSeen> seen = Seen(bucket_, *event->object.json);
    if (seen.ok()) queue_->Push(Input(*std::move(seen)));
  }

  const uint32_t bucket_;
  MessageQueue* const queue_;
  kube::LineSplitter lines_;
};

}  // namespace

LeaseGateway::LeaseGateway(uint32_t bucket, LeaseLocation location, absl::Duration request_timeout,
                           http::ApiClient* client, MessageQueue* queue, DelayedPost later)
    : bucket_(bucket),
      location_(std::move(location)),
      ref_{kube::LeaseType(), location_.ns, absl::StrCat(location_.prefix, bucket)},
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

void LeaseGateway::List() { Get(&LeaseGateway::OnList); }

void LeaseGateway::Get(Answered then) {
  if (stopped_) return;
  const std::string path =
      absl::StrCat(kube::CollectionPath(kube::LeaseType(), location_.ns),
                   "?fieldSelector=", kube::QueryEscape("metadata.name=" + ref_.name));
  client_->Send(
      {.method = "GET", .path = path, .content_type = "", .body = ""},
      [self = shared_from_this(), then](const kube::ApiResponse& response) {
        self->queue_->Push(Task([self, then, response] { ((*self).*then)(response); }));
      },
      request_timeout_);
}

void LeaseGateway::OnList(const kube::ApiResponse& response) {
  const absl::StatusOr<std::string> resource_version = PostLease(response);
  return resource_version.ok() ? Watch(*resource_version) : Again();
}

/// The response to a read while the watch continues.
void LeaseGateway::OnReread(const kube::ApiResponse& response) {
  PostLease(response).IgnoreError();
}

/// Posts the Lease in a list to the engine. Returns the resourceVersion of the list.
absl::StatusOr<std::string> LeaseGateway::PostLease(const kube::ApiResponse& response) {
  if (response.status != kOk) {
    queue_->PushNow(Input(LeaseReadFailed{bucket_, FailureOf(response)}));
    return absl::UnavailableError("not listed");
  }
  absl::StatusOr<kube::ListPage> page = kube::DecodeListPage(response.body, kube::LeaseType(), {});
  if (!page.ok()) return page.status();
  absl::StatusOr<LeaseSeen> seen =
      page->objects.empty() ? Absent(bucket_) : Seen(bucket_, *page->objects.front().json);
  if (seen.ok()) queue_->PushNow(Input(*std::move(seen)));
  return page->resource_version;
}

void LeaseGateway::Watch(const std::string& resource_version) {
  if (stopped_) return;
  const std::string path = absl::StrCat(
      kube::CollectionPath(kube::LeaseType(), location_.ns),
      "?watch=1&allowWatchBookmarks=true&timeoutSeconds=", absl::ToInt64Seconds(kWatchTimeout),
      "&resourceVersion=", kube::QueryEscape(resource_version),
      "&fieldSelector=", kube::QueryEscape("metadata.name=" + ref_.name));
  watch_began_ = ReadClock().monotonic;
  auto reader = std::make_shared<LeaseReader>(bucket_, queue_);
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
  return clean && lasted ? List() : Again();
}

void LeaseGateway::Again() {
  later_(kRetryDelay, [self = shared_from_this()] { self->List(); });
}

void LeaseGateway::Do(const WriteLease& write) {
  const std::string now = kube::FormatMicroTime(ReadClock().wall);
  if (write.acquire) acquire_time_ = now;
  const kube::Lease lease{.ns = ref_.ns,
                          .name = ref_.name,
                          .holder = write.holder,
                          .transitions = write.transitions,
                          .duration = write.duration,
                          .renew_time = now,
                          .acquire_time = acquire_time_,
                          .resource_version = write.resource_version};
  const kube::ApiRequest request{.method = write.create ? "POST" : "PUT",
                                 .path = write.create
                                             ? kube::CollectionPath(kube::LeaseType(), ref_.ns)
                                             : kube::ObjectPath(ref_),
                                 .content_type = kube::kJsonContentType,
                                 .body = kube::EncodeLease(lease)};
  client_->Send(
      request,
      [self = shared_from_this()](const kube::ApiResponse& response) { self->OnWritten(response); },
      request_timeout_);
}

/// Runs on the HTTP thread.
void LeaseGateway::OnWritten(const kube::ApiResponse& response) {
  const bool ok = response.status == kOk || response.status == kCreated;
  absl::StatusOr<LeaseSeen> seen =
      ok ? Seen(bucket_, response.body) : absl::StatusOr<LeaseSeen>(absl::UnknownError("refused"));
  if (seen.ok()) {
    queue_->Push(Input(*std::move(seen)));
    return;
  }
  queue_->Push(Input(LeaseWriteFailed{bucket_, FailureOf(response)}));
  if (response.status != kConflict) return;
  // The watch may be stalled, so read the Lease too.
  queue_->Push(Task([self = shared_from_this()] { self->Get(&LeaseGateway::OnReread); }));
}

}  // namespace xebec::watcher
