// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::watcher {

/// "<hostname>_<16 random hex digits>": names one process and no other, ever (design §3.9).
std::string FreshIdentity();

}  // namespace xebec::watcher
