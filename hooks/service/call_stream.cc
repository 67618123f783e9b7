// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/call_stream.h"

#include <utility>

#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/server/message_bytes.h"
#include "hooks/service/hook_messages.h"

namespace xebec::gateway {
namespace {

/// Nothing is read while this many messages are unsent: a watcher that reads nothing must not use
/// up memory.
constexpr size_t kMostUnsent = 64;
/// Describe calls of one stream. They use no credits.
constexpr size_t kMostPolls = 4096;
/// A stream that is drained and whose watcher has credits left ends this long after its last call.
constexpr absl::Duration kQuiet = absl::Milliseconds(250);

grpc::Status Stopping() { return {grpc::StatusCode::UNAVAILABLE, "the gateway is stopping"}; }

}  // namespace

CallStream::CallStream(GatewayLoop* loop, rpc::OpenStreams<CallStream>* open, uint32_t credits,
                       std::shared_ptr<rpc::ServerStream> stream)
    : loop_(loop), open_(open), credits_(credits), stream_(std::move(stream)) {}

void CallStream::OnOpen() {
  const std::shared_ptr<CallStream> self = shared_from_this();
  if (!open_->Enter(self)) return stream_->Finish(Stopping());
  number_ = loop_->OpenStream(
      [self](uint64_t sequence, const HookReply& reply) { self->Reply(sequence, reply); });
  {
    v1::CallStreamResponse response;
    response.set_credits(credits_);
    MutexLock lock(&mu_);
    granted_ = credits_;
    Send(response);
  }
  stream_->Read();
}

void CallStream::OnDone() {
  if (number_ != 0) loop_->CloseStream(number_);
  open_->Leave(shared_from_this());
}

void CallStream::OnRead(grpc::ByteBuffer* message) {
  if (message == nullptr) {
    MutexLock lock(&mu_);
    half_closed_ = true;
    return EndIfAnswered();
  }
  if (Take(message)) ReadNext();
}

void CallStream::ReadNext() {
  {
    MutexLock lock(&mu_);
    must_read_ = unsent_ >= kMostUnsent;
    if (must_read_) return;
  }
  stream_->Read();
}

/// Returns false if the stream must end.
bool CallStream::Take(grpc::ByteBuffer* message) {
  v1::CallStreamRequest request;
  const grpc::Status status = rpc::DecodeMessage(message, &request);
  if (!status.ok()) {
    stream_->Finish(status);
    return false;
  }
  if (!request.has_call()) {
    Beat();
    return true;
  }
  if (const absl::Status taken = MayTake(request.sequence()); !taken.ok()) {
    const auto code = absl::IsInvalidArgument(taken) ? grpc::StatusCode::INVALID_ARGUMENT
                                                     : grpc::StatusCode::RESOURCE_EXHAUSTED;
    stream_->Finish({code, std::string(ToStd(taken.message()))});
    return false;
  }
  Submit(request.sequence(), request.call());
  return true;
}

void CallStream::Submit(uint64_t sequence, const v1::HookCall& encoded) {
  absl::StatusOr<HookCall> call = codec::DecodeHookCall(encoded);
  if (!call.ok()) return Refuse(sequence, call.status());
  if (call->known) {
    v1::CallStreamResponse response;
    response.set_credits(1);
    MutexLock lock(&mu_);
    syncs_.erase(sequence);
    polls_.insert(sequence);
    if (!draining_) Send(response);
  }
  RequestFacts facts;
  if (!call->known) {
    absl::StatusOr<RequestFacts> inspected = InspectRequest(call->sync_request);
    if (!inspected.ok()) return Refuse(sequence, inspected.status());
    facts = *std::move(inspected);
  }
  loop_->Call(number_, sequence, *std::move(call), std::move(facts.digest));
}

absl::Status CallStream::MayTake(uint64_t sequence) {
  MutexLock lock(&mu_);
  if (sequence == 0) return absl::InvalidArgumentError("sequence: must be greater than 0");
  if (polls_.size() >= kMostPolls || syncs_.size() >= granted_)
    return absl::ResourceExhaustedError("more calls were sent than credits granted");
  if (polls_.contains(sequence) || !syncs_.insert(sequence).second)
    return absl::InvalidArgumentError("sequence: another call of the stream has it");
  last_busy_ = ReadClock().monotonic;
  return absl::OkStatus();
}

void CallStream::Refuse(uint64_t sequence, const absl::Status& error) {
  v1::CallStreamResponse response;
  response.set_sequence(sequence);
  response.set_error(ToValidUtf8(ToStd(error.message())));
  MutexLock lock(&mu_);
  Answer(std::move(response));
}

void CallStream::Beat() {
  MutexLock lock(&mu_);
  Send({});
}

void CallStream::Reply(uint64_t sequence, const HookReply& reply) {
  v1::CallStreamResponse response;
  response.set_sequence(sequence);
  codec::EncodeHookReply(reply, &response);
  MutexLock lock(&mu_);
  Answer(std::move(response));
}

/// Answers a call. The credit of a Sync call is not returned while the stream is drained.
void CallStream::Answer(v1::CallStreamResponse response) {
  if (syncs_.erase(response.sequence()) > 0) {
    if (!draining_) {
      response.set_credits(1);
    } else if (granted_ > 0) {
      --granted_;
    }
    last_busy_ = ReadClock().monotonic;
  }
  polls_.erase(response.sequence());
  Send(response);
  EndIfAnswered();
}

void CallStream::Send(const v1::CallStreamResponse& response) {
  ++unsent_;
  stream_->Write(rpc::EncodeMessage(response));
}

void CallStream::OnWritten() {
  {
    MutexLock lock(&mu_);
    --unsent_;
    if (!must_read_ || unsent_ >= kMostUnsent) return;
    must_read_ = false;
  }
  stream_->Read();
}

void CallStream::EndIfAnswered() {
  if (!half_closed_ || !syncs_.empty()) return;
  stream_->Finish(draining_ ? Stopping() : grpc::Status::OK);
}

void CallStream::BeginDrain() {
  MutexLock lock(&mu_);
  draining_ = true;
  last_busy_ = ReadClock().monotonic;
}

void CallStream::EndIfQuiet() {
  MutexLock lock(&mu_);
  if (!draining_ || !syncs_.empty() || must_read_) return;
  if (granted_ == 0 || ReadClock().monotonic - last_busy_ >= kQuiet) stream_->Finish(Stopping());
}

}  // namespace xebec::gateway
