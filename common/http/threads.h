// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::http::internal {

/// Names the calling thread (at most 15 characters) and blocks all signals in it: they are the main
/// thread's, and a write to a closed connection must not kill the process.
void PrepareThread(const char* name);

}  // namespace xebec::http::internal
