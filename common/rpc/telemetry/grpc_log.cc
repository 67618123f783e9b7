// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/grpc_log.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/rpc/telemetry/log_ration.h"
#include "common/telemetry/log.h"
#include "grpc/support/log.h"

namespace xebec::rpc {
namespace {

using telemetry::Level;

std::optional<uint64_t> Ration(const gpr_log_func_args& args) {
  static Mutex mu;
  static auto* const ration = new LogRation();  // gRPC's threads may outlive static objects
  MutexLock lock(&mu);
  return ration->Take(absl::StrCat(args.file, ":", args.line), ReadClock().monotonic);
}

void Forward(gpr_log_func_args* args) {
  if (args->severity != GPR_LOG_SEVERITY_ERROR) {  // enabled by GRPC_VERBOSITY
    return telemetry::Log(Level::kInfo, "grpc", "gRPC says", {{"detail", args->message}});
  }
  const std::optional<uint64_t> left_out = Ration(*args);
  if (!left_out) return;
  telemetry::Log(Level::kError, "grpc", "gRPC says",
                 {{"detail", args->message}, {"leftOutBefore", *left_out}});
}

void Drop(gpr_log_func_args*) {}

}  // namespace

void SilenceGrpc() { gpr_set_log_function(&Drop); }

void LogWhatGrpcSays() { gpr_set_log_function(&Forward); }

}  // namespace xebec::rpc
