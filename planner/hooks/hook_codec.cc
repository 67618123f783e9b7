// SPDX-License-Identifier: Apache-2.0
#include "planner/hooks/hook_codec.h"

#include "planner/hooks/parts.h"

namespace xebec::planner {

const HookCodec* HooksV1() {
  static constexpr HookCodec codec{hooks::EncodeRequest, hooks::DecodeAnswer, hooks::DifferenceOf};
  return &codec;
}

}  // namespace xebec::planner
