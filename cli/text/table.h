// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xebec::cli {

/// Columns in the style of kubectl: three spaces apart, without trailing spaces.
class Table {
 public:
  /// `indent` comes before every row.
  explicit Table(std::string indent = "") : indent_(std::move(indent)) {}

  /// Every cell is reduced to one line (OneLine).
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Removes all rows and returns them, each with a line feed at its end. Columns that are empty so
  /// far are left out. A column never becomes narrower, so that a long table can be printed in
  /// parts.
  std::string TakeText();

 private:
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
};

}  // namespace xebec::cli
