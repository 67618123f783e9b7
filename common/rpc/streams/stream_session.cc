// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_session.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/base/thread.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/tls/tls_credentials.h"

namespace xebec::rpc {
namespace {

ChannelOptions ChannelFor(const StreamOptions& options) {
  ChannelOptions out;
  out.credentials = options.credentials;
  out.max_message_bytes = static_cast<int>(options.max_message_bytes);
  out.connect_timeout = options.peer_timeout;
  out.backoff_min = options.backoff_min;
  out.backoff_max = options.backoff_max;
  out.observer = options.observer;
  return out;
}

}  // namespace

StreamSession::StreamSession(StreamDispatcher* dispatcher, StreamId id, const Address& address,
                             absl::Duration max_age)
    : dispatcher_(dispatcher),
      id_(id),
      address_(address),
      handshake_(MakeCallContext(dispatcher->options().peer_timeout)),
      streaming_(MakeStreamContext()),
      unanswered_since_(ReadClock().monotonic),
      drain_at_(ReadClock().monotonic + max_age) {
  dispatcher_->Add(id_);
  dispatcher_->Wake();
}

absl::Status StreamSession::Run() {
  const std::shared_ptr<grpc::Channel> channel =
      MakeChannel(address_, ChannelFor(dispatcher_->options()));
  absl::Status status = Reason(Carry(channel));
  dispatcher_->Remove(id_, status.ok() ? "the connection was closed"
                                       : absl::StrCat("connection lost: ", status.message()));
  return status;
}

absl::Status StreamSession::Carry(const std::shared_ptr<grpc::Channel>& channel) {
  const absl::StatusOr<std::string> revision =
      dispatcher_->protocol()->Handshake(channel, handshake_.get(), address_);
  if (!revision.ok()) return revision.status();
  Answered();
  const std::unique_ptr<MessageStream> stream =
      dispatcher_->protocol()->Open(channel, streaming_.get());
  std::thread writer([this, &stream] { WriteLoop(stream.get()); });
  while (std::optional<Answer> answer = stream->Read()) {
    Heard(*revision);
    dispatcher_->Take(id_, address_.uri, *std::move(answer));
  }
  dispatcher_->StopWriter(id_);
  writer.join();
  return stream->Finish();
}

void StreamSession::WriteLoop(MessageStream* stream) {
  NameThisThread(absl::StrCat(dispatcher_->options().name, "-w", id_));
  absl::Duration heartbeat = -absl::InfiniteDuration();
  while (true) {
    const WriterTask task = dispatcher_->NextTask(id_, heartbeat);
    if (std::holds_alternative<StopWriting>(task)) return;
    if (std::holds_alternative<EndWrites>(task)) return stream->WritesDone();
    Spoke();
    if (const Request* request = std::get_if<Request>(&task)) {
      if (!WriteRequest(stream, *request)) return;
      continue;
    }
    heartbeat = ReadClock().monotonic;
    if (!stream->WriteHeartbeat()) return;
  }
}

bool StreamSession::WriteRequest(MessageStream* stream, const Request& request) {
  std::string why;
  const WriteResult result = stream->Write(request, &why);
  if (result == WriteResult::kTooLarge) dispatcher_->RefuseTooLarge(id_, request.sequence, why);
  return result != WriteResult::kBroken;
}

void StreamSession::Heard(const std::string& revision) {
  {
    MutexLock lock(&mu_);
    unanswered_since_ = absl::InfiniteDuration();
    if (up_since_.has_value()) return;
    up_since_ = ReadClock().monotonic;
  }
  dispatcher_->Open(id_, revision, address_.uri);
  if (dispatcher_->options().on_note)
    dispatcher_->options().on_note({false, "Stream up", address_.uri, revision});
}

void StreamSession::Answered() {
  MutexLock lock(&mu_);
  unanswered_since_ = ReadClock().monotonic;
}

void StreamSession::Spoke() {
  MutexLock lock(&mu_);
  unanswered_since_ = std::min(unanswered_since_, ReadClock().monotonic);
}

void StreamSession::Drain() {
  {
    MutexLock lock(&mu_);
    if (give_up_at_ != absl::InfiniteDuration()) return;
    drain_at_ = absl::InfiniteDuration();
    give_up_at_ = ReadClock().monotonic + dispatcher_->options().drain_timeout;
  }
  dispatcher_->Drain(id_);
}

void StreamSession::Cancel(const std::string& why) {
  MutexLock lock(&mu_);
  if (!cancelled_.empty()) return;
  cancelled_ = why;
  handshake_->TryCancel();
  streaming_->TryCancel();
}

absl::Duration StreamSession::Check(absl::Duration now) {
  const absl::Duration timeout = dispatcher_->options().peer_timeout;
  absl::Duration drain_at, dead_at, give_up_at;
  {
    MutexLock lock(&mu_);
    drain_at = drain_at_;
    dead_at = unanswered_since_ + timeout;
    give_up_at = give_up_at_;
  }
  if (now >= dead_at) {
    Cancel(absl::StrCat("no message from the peer for ", absl::FormatDuration(timeout)));
  } else if (now >= give_up_at) {
    Cancel("the stream did not drain in time");
  } else if (now >= drain_at) {
    Drain();
    give_up_at = now + dispatcher_->options().drain_timeout;
    drain_at = absl::InfiniteDuration();
  } else {
    return std::min({drain_at, dead_at, give_up_at});
  }
  return std::min(give_up_at, now + timeout);
}

std::optional<absl::Duration> StreamSession::up_since() const {
  MutexLock lock(&mu_);
  return up_since_;
}

absl::Status StreamSession::Reason(const absl::Status& status) const {
  MutexLock lock(&mu_);
  if (cancelled_.empty()) return ExplainRefusal(status, address_.host);
  return absl::CancelledError(cancelled_);
}

}  // namespace xebec::rpc
