// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/hook_codec.h"

namespace xebec::planner {

/// Returns the encoding of xebec.hooks.v1. Valid for ever. Its functions are pure, although the
/// Protobuf library keeps this library from being marked so.
const HookCodec* HooksV1();

}  // namespace xebec::planner
