// SPDX-License-Identifier: Apache-2.0
#include "applier/service/apply_stream.h"

#include <utility>

#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/message_size.h"
#include "common/rpc/server/message_bytes.h"

namespace xebec::applier {
namespace {

/// Nothing is read while this many messages are unsent: a client that reads nothing must not use up
/// memory.
constexpr size_t kMostUnsent = 64;
/// A stream that is drained and whose watcher has credits left ends this long after its last plan.
constexpr absl::Duration kQuiet = absl::Milliseconds(250);

grpc::Status Stopping() { return {grpc::StatusCode::UNAVAILABLE, "the applier is stopping"}; }

}  // namespace

ApplyStream::ApplyStream(DispatchLoop* loop, rpc::OpenStreams<ApplyStream>* open,
                         std::shared_ptr<rpc::ServerStream> stream)
    : loop_(loop),
      open_(open),
      stream_(std::move(stream)),
      max_message_bytes_(stream_->max_message_bytes()) {}

void ApplyStream::OnOpen() {
  const std::shared_ptr<ApplyStream> self = shared_from_this();
  if (!open_->Enter(self)) return stream_->Finish(Stopping());
  // A client may send its first plan at once. It is read after the credits were granted.
  MutexLock lock(&mu_);  // OnRead waits for the key
  key_ = loop_->Open({.on_open = [self] { self->stream_->Read(); },
                      .on_ended = [self](const PlanEnded& ended) { self->OnEnded(ended); },
                      .on_credits = [self](uint32_t count) { self->OnCredits(count); }});
}

void ApplyStream::OnDone() {
  if (key_ != 0) loop_->Close(key_);
  open_->Leave(shared_from_this());
}

void ApplyStream::OnRead(grpc::ByteBuffer* message) {
  if (message == nullptr) {
    MutexLock lock(&mu_);
    half_closed_ = true;
    return EndIfReported();
  }
  if (Take(message)) ReadNext();
}

void ApplyStream::ReadNext() {
  {
    MutexLock lock(&mu_);
    must_read_ = unsent_ >= kMostUnsent;
    if (must_read_) return;
  }
  stream_->Read();
}

/// Returns false if the stream must end.
bool ApplyStream::Take(grpc::ByteBuffer* message) {
  v1::ApplyStreamRequest request;
  grpc::Status status = rpc::DecodeMessage(message, &request);
  if (status.ok() && !request.has_plan()) {
    Beat();
    return true;
  }
  if (status.ok() && !MayTake()) {
    status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "more plans were sent than credits granted"};
  }
  if (!status.ok()) {
    stream_->Finish(status);
    return false;
  }
  const uint64_t sequence = request.plan().envelope().sequence();
  absl::StatusOr<Plan> plan = codec::DecodePlan(request.plan());
  if (plan.ok()) {
    loop_->Submit(key_, sequence, *std::move(plan));
  } else {
    v1::ApplyStreamResponse response;
    response.set_sequence(sequence);
    response.set_error(ToValidUtf8(ToStd(plan.status().message())));
    Answer(std::move(response), true);
  }
  return true;
}

void ApplyStream::Beat() {
  MutexLock lock(&mu_);
  Send({});
}

bool ApplyStream::MayTake() {
  MutexLock lock(&mu_);
  if (outstanding_ >= granted_) return false;
  ++outstanding_;
  last_busy_ = ReadClock().monotonic;
  return true;
}

void ApplyStream::OnCredits(uint32_t count) {
  v1::ApplyStreamResponse response;
  response.set_credits(count);
  codec::EncodeCapabilities({}, response.mutable_capabilities());
  MutexLock lock(&mu_);
  if (draining_) return;
  granted_ += count;
  Send(response);
}

void ApplyStream::OnEnded(const PlanEnded& ended) {
  v1::ApplyStreamResponse response;
  response.set_sequence(ended.ticket);
  codec::EncodeReport(ended.report, response.mutable_report());
  if (!rpc::TooLarge("the report", response, max_message_bytes_).empty()) {
    // The outcomes are kept; their messages are in the log.
    for (v1::Outcome& outcome : *response.mutable_report()->mutable_outcomes()) {
      outcome.clear_message();
    }
  }
  Answer(std::move(response), ended.returns_credit);
}

/// Answers a plan. Its credit is not returned while the stream is drained.
void ApplyStream::Answer(v1::ApplyStreamResponse response, bool returns_credit) {
  MutexLock lock(&mu_);
  if (returns_credit && !draining_) {
    response.set_credits(1);
  } else if (granted_ > 0) {
    --granted_;
  }
  Send(response);
  --outstanding_;
  last_busy_ = ReadClock().monotonic;
  EndIfReported();
}

void ApplyStream::Send(const v1::ApplyStreamResponse& response) {
  ++unsent_;
  stream_->Write(rpc::EncodeMessage(response));
}

void ApplyStream::OnWritten() {
  {
    MutexLock lock(&mu_);
    --unsent_;
    if (!must_read_ || unsent_ >= kMostUnsent) return;
    must_read_ = false;
  }
  stream_->Read();
}

void ApplyStream::EndIfReported() {
  if (!half_closed_ || outstanding_ > 0) return;
  stream_->Finish(draining_ ? Stopping() : grpc::Status::OK);
}

void ApplyStream::BeginDrain() {
  MutexLock lock(&mu_);
  draining_ = true;
  last_busy_ = ReadClock().monotonic;
}

void ApplyStream::EndIfQuiet() {
  MutexLock lock(&mu_);
  if (!draining_ || outstanding_ > 0 || must_read_) return;
  if (granted_ == 0 || ReadClock().monotonic - last_busy_ >= kQuiet) stream_->Finish(Stopping());
}

}  // namespace xebec::applier
