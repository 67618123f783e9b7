// SPDX-License-Identifier: Apache-2.0
#include "applier/service/apply_call.h"

#include <utility>

#include "common/codec/codec.h"
#include "common/rpc/status_map.h"
#include "xebec/v1/applier.pb.h"

namespace xebec::applier {

ApplyCall::ApplyCall(DispatchLoop* loop, std::shared_ptr<rpc::ServerStream> stream)
    : rpc::UnaryHandler(std::move(stream)), loop_(loop) {}

void ApplyCall::Answer(grpc::ByteBuffer* bytes) {
  const grpc::Status status = Submit(bytes);
  if (!status.ok()) Respond(status, v1::ApplyResponse());
}

grpc::Status ApplyCall::Submit(grpc::ByteBuffer* bytes) {
  v1::ApplyRequest request;
  if (grpc::Status status = rpc::DecodeMessage(bytes, &request); !status.ok()) return status;
  if (!request.has_plan()) return rpc::ToGrpc(absl::InvalidArgumentError("plan: missing"));
  absl::StatusOr<Plan> plan = codec::DecodePlan(request.plan());
  if (!plan.ok()) return rpc::ToGrpc(plan.status());
  const uint64_t ticket = loop_->SubmitUnary(
      *std::move(plan),
      [self = shared_from_this()](const xebec::Report& report) { self->Report(report); });
  MutexLock lock(&mu_);
  ticket_ = ticket;
  if (done_) loop_->Cancel(ticket_);
  return grpc::Status::OK;
}

void ApplyCall::Report(const xebec::Report& report) {
  v1::ApplyResponse response;
  codec::EncodeReport(report, response.mutable_report());
  codec::EncodeCapabilities({}, response.mutable_capabilities());
  Respond(grpc::Status::OK, response);
  MutexLock lock(&mu_);
  reported_ = true;
}

void ApplyCall::OnDone() {
  MutexLock lock(&mu_);
  done_ = true;
  if (ticket_ != 0 && !reported_) loop_->Cancel(ticket_);
}

}  // namespace xebec::applier
