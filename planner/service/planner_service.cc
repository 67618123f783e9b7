// SPDX-License-Identifier: Apache-2.0
#include "planner/service/planner_service.h"

#include <memory>
#include <utility>

#include "common/rpc/server/unary_method.h"
#include "common/rpc/status_map.h"

namespace xebec::planner {

std::vector<rpc::Method> PlannerServiceImpl::methods() {
  auto describe = [this](const v1::DescribeKindsRequest&, v1::DescribeKindsResponse* response) {
    maker_->Describe(response);
    return grpc::Status::OK;
  };
  auto plan = [this](const v1::PlanRequest& request, v1::PlanResponse* response) {
    return rpc::ToGrpc(maker_->Make(request.observation(), response->mutable_plan()));
  };
  auto open = [this](std::shared_ptr<rpc::ServerStream> stream) {
    return std::make_shared<PlanStream>(maker_, &streams_, std::move(stream));
  };
  return {
      rpc::UnaryMethod<v1::DescribeKindsRequest, v1::DescribeKindsResponse>(
          "/xebec.v1.PlannerService/DescribeKinds", describe),
      rpc::UnaryMethod<v1::PlanRequest, v1::PlanResponse>("/xebec.v1.PlannerService/Plan", plan),
      {"/xebec.v1.PlannerService/PlanStream", "bidi_stream", open}};
}

void PlannerServiceImpl::Drain(absl::Duration timeout) {
  streams_.Close();
  streams_.ForEach([](PlanStream& stream) { stream.Drain(); });
  streams_.AwaitNone(timeout);
}

}  // namespace xebec::planner
