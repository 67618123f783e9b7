// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

/// Conversion between the status codes of Abseil and gRPC. No other code converts them.
namespace xebec::rpc {

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

/// Returns the name of the code in metrics: "OK", "InvalidArgument", "DeadlineExceeded".
std::string_view CodeName(const grpc::Status& status);

}  // namespace xebec::rpc
