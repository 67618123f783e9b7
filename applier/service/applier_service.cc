// SPDX-License-Identifier: Apache-2.0
#include "applier/service/applier_service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/clock.h"
#include "common/codec/codec.h"
#include "common/rpc/status_map.h"

namespace xebec::applier {
namespace {

constexpr absl::Duration kStreamPollInterval = absl::Milliseconds(10);  // that are to end
constexpr std::chrono::milliseconds kPollInterval(50);

}  // namespace

grpc::Status ApplierServiceImpl::Apply(grpc::ServerContext* context,
                                       const v1::ApplyRequest* request,
                                       v1::ApplyResponse* response) {
  if (!request->has_plan()) {
    return rpc::ToGrpc(absl::InvalidArgumentError("plan: missing"));
  }
  absl::StatusOr<Plan> plan = codec::DecodePlan(request->plan());
  if (!plan.ok()) return rpc::ToGrpc(plan.status());
  DispatchLoop::UnaryCall call = loop_->SubmitUnary(*std::move(plan));
  bool cancelled = false;
  while (call.report.wait_for(kPollInterval) != std::future_status::ready) {
    if (cancelled || !context->IsCancelled()) continue;
    cancelled = true;
    loop_->Cancel(call.ticket);
  }
  codec::EncodeReport(call.report.get(), response->mutable_report());
  codec::EncodeCapabilities({}, response->mutable_capabilities());
  return grpc::Status::OK;
}

grpc::Status ApplierServiceImpl::ApplyStream(grpc::ServerContext* context,
                                             ApplyStream::Link* link) {
  applier::ApplyStream stream(loop_, context, link, max_message_bytes_);
  if (!Enter(&stream)) return rpc::ToGrpc(absl::UnavailableError("the applier is stopping"));
  grpc::Status status = stream.Run();
  Leave(&stream);
  return status;
}

bool ApplierServiceImpl::Enter(applier::ApplyStream* stream) {
  MutexLock lock(&mu_);
  if (!draining_) streams_.insert(stream);
  return !draining_;
}

void ApplierServiceImpl::Leave(applier::ApplyStream* stream) {
  MutexLock lock(&mu_);
  streams_.erase(stream);
  left_.NotifyAll();
}

void ApplierServiceImpl::BeginDrain() {
  MutexLock lock(&mu_);
  draining_ = true;
  for (applier::ApplyStream* stream : streams_) stream->BeginDrain();
}

void ApplierServiceImpl::Drain(absl::Duration timeout) {
  const absl::Duration until = ReadClock().monotonic + timeout;
  BeginDrain();
  MutexLock lock(&mu_);
  while (!streams_.empty()) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return;
    for (applier::ApplyStream* stream : streams_) stream->EndIfQuiet();
    left_.WaitFor(&mu_, std::min(left, kStreamPollInterval));
  }
}

}  // namespace xebec::applier
