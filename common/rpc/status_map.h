// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

/// The only place where Abseil's status codes meet gRPC's.
namespace xebec::rpc {

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

/// The code as metrics show it: "OK", "InvalidArgument", "DeadlineExceeded".
std::string_view CodeName(const grpc::Status& status);

}  // namespace xebec::rpc
