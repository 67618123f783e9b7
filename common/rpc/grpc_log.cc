// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/grpc_log.h"

#include "common/telemetry/log.h"
#include "grpc/support/log.h"

namespace xebec::rpc {
namespace {

using telemetry::Level;

void Forward(gpr_log_func_args* args) {
  const bool error = args->severity == GPR_LOG_SEVERITY_ERROR;
  telemetry::Log(error ? Level::kError : Level::kInfo, "grpc", "gRPC says",
                 {{"detail", args->message}});
}

void Drop(gpr_log_func_args*) {}

}  // namespace

void SilenceGrpc() { gpr_set_log_function(&Drop); }

void LogWhatGrpcSays() { gpr_set_log_function(&Forward); }

}  // namespace xebec::rpc
