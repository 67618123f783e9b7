// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::applier {

/// Returns `count` bytes from the kernel's random generator, or an empty string if it fails.
/// Operations that need random bytes are then refused.
std::string RandomBytes(size_t count);

}  // namespace xebec::applier
