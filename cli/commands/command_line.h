// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>

namespace xebec::cli {

/// The program `xebec`: parses the command line and runs its command. Writes output to `out`, and
/// an error as one line to `err`. Returns the exit code of program::ExitCode: 0 for success, 1 for
/// a failure, 2 for an invalid command line.
int Main(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace xebec::cli
