// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xebec {

/// A fault in a JSON text and where it is.
struct JsonFault {
  size_t offset = 0;  ///< In bytes, from 0.
  std::string
      what;  ///< "unexpected character", "duplicate key \"a\"", ...; empty when nothing was found.
};

/// Looks for the first fault with a second, slower parser: the fast one tells no positions. Stops
/// at `max_depth`.
JsonFault LocateJsonFault(std::string_view text, size_t max_depth);

/// "line 3, column 7" of a byte offset.
std::string DescribePosition(std::string_view text, size_t offset);

}  // namespace xebec
