// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/declare/declaration.h"
#include "common/declare/spec_fields.h"

namespace xebec {

/// Reads spec.hook. Internal to common/declare.
void ReadHook(const SpecFields& hook, Declaration* out);

}  // namespace xebec
