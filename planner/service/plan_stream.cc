// SPDX-License-Identifier: Apache-2.0
#include "planner/service/plan_stream.h"

#include <string>
#include <utility>

#include "common/base/strings.h"
#include "common/rpc/message_size.h"
#include "common/rpc/server/message_bytes.h"

namespace xebec::planner {
namespace {

/// If a caller does not read its plans, its stream is not read either.
constexpr size_t kMostUnanswered = 128;

std::string Text(const absl::Status& status) { return ToValidUtf8(ToStd(status.message())); }

grpc::Status Stopping() { return {grpc::StatusCode::UNAVAILABLE, "the planner is stopping"}; }

}  // namespace

PlanStream::PlanStream(const PlanMaker* maker, rpc::OpenStreams<PlanStream>* open,
                       std::shared_ptr<rpc::ServerStream> stream)
    : maker_(maker), open_(open), stream_(std::move(stream)) {}

void PlanStream::OnOpen() {
  if (!open_->Enter(shared_from_this())) return stream_->Finish(Stopping());
  stream_->Read();
}

void PlanStream::OnDone() { open_->Leave(shared_from_this()); }

void PlanStream::OnRead(grpc::ByteBuffer* message) {
  if (message != nullptr) {
    if (Admit()) stream_->Read();
    return Answer(message);
  }
  MutexLock lock(&mu_);
  half_closed_ = true;
  EndIfAnswered();
}

/// Counts a request. Returns true if the next one may be read.
bool PlanStream::Admit() {
  MutexLock lock(&mu_);
  reading_ = ++unanswered_ < kMostUnanswered && !draining_;
  return reading_;
}

void PlanStream::Answer(grpc::ByteBuffer* bytes) {
  v1::PlanStreamRequest request;
  const grpc::Status decoded = rpc::DecodeMessage(bytes, &request);
  if (!decoded.ok()) return stream_->Finish(decoded);
  if (stream_->over()) return;
  stream_->Write(rpc::EncodeMessage(Respond(request)));
}

v1::PlanStreamResponse PlanStream::Respond(const v1::PlanStreamRequest& request) const {
  v1::PlanStreamResponse response;
  if (!request.has_observation()) return response;
  const absl::Status made = maker_->Make(request.observation(), response.mutable_plan());
  response.set_sequence(request.observation().envelope().sequence());
  std::string error =
      made.ok() ? rpc::TooLarge("the plan", response, stream_->max_message_bytes()) : Text(made);
  if (error.empty()) return response;
  response.clear_plan();
  response.set_error(std::move(error));
  return response;
}

void PlanStream::OnWritten() {
  MutexLock lock(&mu_);
  --unanswered_;
  EndIfAnswered();
  if (reading_ || half_closed_ || draining_) return;
  reading_ = true;
  stream_->Read();
}

void PlanStream::Drain() {
  MutexLock lock(&mu_);
  draining_ = true;
  EndIfAnswered();
}

void PlanStream::EndIfAnswered() {
  if (unanswered_ > 0) return;
  if (draining_) return stream_->Finish(Stopping());
  if (half_closed_) stream_->Finish(grpc::Status::OK);
}

}  // namespace xebec::planner
