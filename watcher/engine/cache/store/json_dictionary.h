// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace xebec::watcher {

/// Text that many objects contain, in the order in which the API server writes it: the dictionary
/// of PackedJson. What is most frequent is last. It only affects how small objects become. It must
/// not change while objects are stored, so it is a constant.
extern const std::string_view kJsonDictionary;

}  // namespace xebec::watcher
