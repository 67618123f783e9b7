// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::telemetry {

/// Unmaps the pages of the program's and its libraries' code and constants that are in memory. The
/// kernel keeps them in its page cache, and maps a page again when the process reads it. Most of a
/// program's code runs only while it starts, so this lowers the resident set: a process that works
/// maps what it uses. Pages that the process can write to stay. Any thread may call this at any
/// time.
void ReleaseFilePages();

}  // namespace xebec::telemetry
