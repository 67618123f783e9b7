// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/activity_stream.h"

#include <utility>

#include "common/codec/codec.h"
#include "common/rpc/server/message_bytes.h"
#include "google/protobuf/util/time_util.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMaxBacklog = 1024;

}  // namespace

ActivityStream::ActivityStream(ActivityFeed* feed, rpc::OpenStreams<ActivityStream>* open,
                               std::shared_ptr<rpc::ServerStream> stream)
    : feed_(feed), open_(open), stream_(std::move(stream)) {}

void ActivityStream::OnOpen() {
  if (!open_->Enter(shared_from_this())) return Finish();
  stream_->Read();
}

void ActivityStream::OnRead(grpc::ByteBuffer* message) {
  if (message == nullptr) return Finish();
  v1::WatchActivityRequest request;
  const grpc::Status decoded = rpc::DecodeMessage(message, &request);
  if (!decoded.ok()) return stream_->Finish(decoded);
  feed_->Subscribe(weak_from_this());
}

void ActivityStream::OnDone() { open_->Leave(shared_from_this()); }

void ActivityStream::OnActivity(const Activity& activity) {
  MutexLock lock(&mu_);
  if (writing_) {
    if (backlog_.size() == kMaxBacklog) backlog_.pop_front();
    backlog_.push_back(activity);
    return;
  }
  writing_ = true;
  Write(activity);
}

void ActivityStream::OnWritten() {
  MutexLock lock(&mu_);
  writing_ = !backlog_.empty();
  if (!writing_) return;
  Write(backlog_.front());
  backlog_.pop_front();
}

void ActivityStream::Write(const Activity& activity) {
  using google::protobuf::util::TimeUtil;
  v1::WatchActivityResponse message;
  *message.mutable_time() = TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(activity.time));
  if (activity.ref) codec::EncodeRef(*activity.ref, message.mutable_ref());
  message.set_what(activity.what);
  message.set_detail(activity.detail);
  stream_->Write(rpc::EncodeMessage(message));
}

void ActivityStream::Finish() { stream_->Finish(grpc::Status::OK); }

}  // namespace xebec::watcher
