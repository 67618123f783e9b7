// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

/// Limits of a hook's answer that are checked before it is parsed: a small text can describe a
/// large tree.
namespace xebec::codec {

inline constexpr int kMaxHookChildren = 500;   ///< Also of the deletions.
inline constexpr int kMaxHookConditions = 50;  ///< Of one answer.
inline constexpr int kMaxHookEvents = 50;      ///< Of each list of events.

/// Reads an encoded xebec.hooks.v1.SyncResponse once and keeps nothing of it. RESOURCE_EXHAUSTED if
/// a list has too many entries, or if the message has too many unknown fields; INVALID_ARGUMENT if
/// the bytes are not such a message.
absl::Status CheckHookAnswer(std::string_view bytes);

/// RESOURCE_EXHAUSTED if a JSON text has more values than the largest permitted answer.
absl::Status CheckHookJson(std::string_view json);

}  // namespace xebec::codec
