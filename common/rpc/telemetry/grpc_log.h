// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::rpc {

/// Writes gRPC's own messages to our log instead of standard error: errors only, unless
/// GRPC_VERBOSITY is set, and at most a few per minute from each place in its source. Call it once
/// in main, after InitLog.
void LogWhatGrpcSays();

/// Suppresses gRPC's own messages. For programs that report errors themselves.
void SilenceGrpc();

}  // namespace xebec::rpc
