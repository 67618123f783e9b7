// SPDX-License-Identifier: Apache-2.0
// xebec: the command line for users of the three services.
#include <iostream>

#include "cli/commands/command_line.h"
#include "common/rpc/telemetry/grpc_log.h"
#include "common/telemetry/log.h"
#include "google/protobuf/stubs/logging.h"

int main(int argc, char** argv) {
  // The commands report what fails.
  xebec::rpc::SilenceGrpc();
  google::protobuf::SetLogHandler(nullptr);
  if (!xebec::telemetry::InitLog({"xebec", "error", "text"}).ok()) return 1;
  return xebec::cli::Main(argc, argv, std::cin, std::cout, std::cerr);
}
