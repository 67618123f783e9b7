// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::rpc {

/// What gRPC itself has to say (errors, unless GRPC_VERBOSITY asks for more) becomes lines of our
/// log instead of text on standard error, of errors a few a minute from each place. For main, once,
/// when the log is there.
void LogWhatGrpcSays();

/// gRPC says nothing: for programs that tell themselves what has failed.
void SilenceGrpc();

}  // namespace xebec::rpc
