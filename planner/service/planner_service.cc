// SPDX-License-Identifier: Apache-2.0
#include "planner/service/planner_service.h"

#include <future>
#include <memory>

#include "common/base/clock.h"
#include "common/rpc/status_map.h"

namespace xebec::planner {

PlannerServiceImpl::PlannerServiceImpl(const PlanMaker* maker, WorkerPool* pool,
                                       size_t max_message_bytes)
    : maker_(maker), pool_(pool), max_message_bytes_(max_message_bytes) {}

grpc::Status PlannerServiceImpl::DescribeKinds(grpc::ServerContext*,
                                               const v1::DescribeKindsRequest*,
                                               v1::DescribeKindsResponse* response) {
  maker_->Describe(response);
  return grpc::Status::OK;
}

grpc::Status PlannerServiceImpl::Plan(grpc::ServerContext* context, const v1::PlanRequest* request,
                                      v1::PlanResponse* response) {
  const auto made = std::make_shared<std::promise<absl::Status>>();  // set_value may outlast get()
  pool_->Post([this, made, context, request, response] {
    made->set_value(context->IsCancelled()
                        ? absl::CancelledError("the caller is gone")
                        : maker_->Make(request->observation(), response->mutable_plan()));
  });
  return rpc::ToGrpc(made->get_future().get());
}

grpc::Status PlannerServiceImpl::PlanStream(grpc::ServerContext* context, PlanStream::Link* link) {
  planner::PlanStream stream(maker_, pool_, context, link, max_message_bytes_);
  if (!Enter(&stream)) return rpc::ToGrpc(absl::UnavailableError("the planner is stopping"));
  grpc::Status status = stream.Run();
  Leave(&stream);
  return status;
}

bool PlannerServiceImpl::Enter(planner::PlanStream* stream) {
  MutexLock lock(&mu_);
  if (!draining_) streams_.insert(stream);
  return !draining_;
}

void PlannerServiceImpl::Leave(planner::PlanStream* stream) {
  MutexLock lock(&mu_);
  streams_.erase(stream);
  left_.NotifyAll();
}

void PlannerServiceImpl::Drain(absl::Duration timeout) {
  const absl::Duration until = ReadClock().monotonic + timeout;
  MutexLock lock(&mu_);
  draining_ = true;
  for (planner::PlanStream* stream : streams_) stream->Drain();
  while (!streams_.empty()) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return;
    left_.WaitFor(&mu_, left);
  }
}

}  // namespace xebec::planner
