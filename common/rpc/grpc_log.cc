// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/grpc_log.h"

#include <utility>

#include "grpc/support/log.h"

namespace xebec::rpc {
namespace {

using Sink = std::function<void(bool, const std::string&)>;

Sink& TheSink() {
  static Sink* const sink = new Sink;  // outlives gRPC's threads
  return *sink;
}

void Forward(gpr_log_func_args* args) {
  TheSink()(args->severity == GPR_LOG_SEVERITY_ERROR, args->message);
}

}  // namespace

void SetGrpcLog(Sink sink) {
  TheSink() = std::move(sink);
  gpr_set_log_function(&Forward);
}

}  // namespace xebec::rpc
