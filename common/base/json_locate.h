// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xebec {

/// An error in a JSON text and its position.
struct JsonFault {
  size_t offset = 0;  ///< Byte offset, from 0.
  /// "unexpected character", "duplicate key \"a\"", ...; empty if no error was found.
  std::string what;
};

/// Finds the first error with a second, slower parser, because the fast parser reports no
/// positions. Nesting deeper than `max_depth` is an error too.
JsonFault LocateJsonFault(std::string_view text, size_t max_depth);

/// Returns the position of a byte offset as text: "line 3, column 7".
std::string DescribePosition(std::string_view text, size_t offset);

}  // namespace xebec
