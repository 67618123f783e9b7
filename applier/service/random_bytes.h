// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::applier {

/// `count` bytes from the kernel's generator; empty when it gives none (what needs them is then
/// refused).
std::string RandomBytes(size_t count);

}  // namespace xebec::applier
