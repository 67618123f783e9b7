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

v1::WatchActivityResponse ToProto(const Activity& activity, const std::string& watcher) {
  v1::WatchActivityResponse message;
  *message.mutable_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(activity.time));
  if (activity.ref) codec::EncodeRef(*activity.ref, message.mutable_ref());
  message.set_what(activity.what);
  message.set_detail(activity.detail);
  message.set_watcher(watcher);
  return message;
}

}  // namespace

ActivityStream::ActivityStream(const ActivityDesk* desk, std::shared_ptr<rpc::ServerStream> stream)
    : desk_(*desk), stream_(std::move(stream)) {}

void ActivityStream::OnOpen() {
  if (!desk_.open->Enter(shared_from_this())) return Finish();
  stream_->Read();
}

void ActivityStream::OnRead(grpc::ByteBuffer* message) {
  if (message == nullptr) return Finish();
  v1::WatchActivityRequest request;
  const grpc::Status decoded = rpc::DecodeMessage(message, &request);
  if (!decoded.ok()) return stream_->Finish(decoded);
  desk_.feed->Subscribe(weak_from_this());
  if (!request.this_watcher_only()) FollowOthers();
}

void ActivityStream::FollowOthers() {
  const auto others = std::make_shared<PeerActivity>(
      desk_.calls, desk_.members, [weak = weak_from_this()](v1::WatchActivityResponse activity) {
        if (const auto self = weak.lock()) self->Send(std::move(activity));
      });
  MutexLock lock(&mu_);
  if (done_) return;
  others_ = others;
  others->Start();
}

void ActivityStream::OnDone() {
  std::shared_ptr<PeerActivity> others;
  {
    MutexLock lock(&mu_);
    done_ = true;
    others = std::exchange(others_, nullptr);
  }
  if (others != nullptr) others->End();
  desk_.open->Leave(shared_from_this());
}

void ActivityStream::OnActivity(const Activity& activity) {
  Send(ToProto(activity, desk_.identity));
}

void ActivityStream::Send(v1::WatchActivityResponse activity) {
  MutexLock lock(&mu_);
  if (writing_) {
    if (backlog_.size() == kMaxBacklog) backlog_.pop_front();
    backlog_.push_back(std::move(activity));
    return;
  }
  writing_ = true;
  stream_->Write(rpc::EncodeMessage(activity));
}

void ActivityStream::OnWritten() {
  MutexLock lock(&mu_);
  writing_ = !backlog_.empty();
  if (!writing_) return;
  stream_->Write(rpc::EncodeMessage(backlog_.front()));
  backlog_.pop_front();
}

void ActivityStream::Finish() { stream_->Finish(grpc::Status::OK); }

}  // namespace xebec::watcher
