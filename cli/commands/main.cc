// SPDX-License-Identifier: Apache-2.0
// xebec: the command line for users of the three services.
#include <iostream>

#include "cli/commands/command_line.h"
#include "common/rpc/telemetry/grpc_log.h"

int main(int argc, char** argv) {
  xebec::rpc::SilenceGrpc();
  return xebec::cli::Main(argc, argv, std::cin, std::cout, std::cerr);
}
