// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace xebec {

/// Returns true for a byte of UTF-8 that does not begin a character.
inline bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Returns the number of characters (code points) of valid UTF-8.
inline size_t CountCharacters(std::string_view utf8) {
  return utf8.size() - static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), IsContinuation));
}

}  // namespace xebec
