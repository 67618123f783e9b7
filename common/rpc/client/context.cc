// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/client/context.h"

#include "common/base/clock.h"

namespace xebec::rpc {

std::unique_ptr<grpc::ClientContext> MakeCallContext(absl::Duration timeout) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(absl::ToChronoTime(ReadClock().wall + timeout));
  return context;
}

std::unique_ptr<grpc::ClientContext> MakeStreamContext() {
  return std::make_unique<grpc::ClientContext>();
}

}  // namespace xebec::rpc
