// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::applier {

/// The kind of request that a part of a plan sends next.
enum class Wants { kNothing, kWrite, kRead };

}  // namespace xebec::applier
