// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>

namespace xebec::cli {

/// The program `xebec`: reads the command line and carries out its command. Answers go to `out`,
/// complaints as one line to `err`. Returns the exit code: 0 done, 1 it could not be done, 2 the
/// command line cannot be meant (program::ExitCode).
int Main(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace xebec::cli
