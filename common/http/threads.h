// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::http::internal {

/// Names the calling thread (at most 15 characters) and blocks all signals in it. The main thread
/// handles signals, and a write to a closed connection must not end the process with SIGPIPE.
void PrepareThread(const char* name);

}  // namespace xebec::http::internal
