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
  /// Every row with a line feed at its end; empty columns are left out.
  std::string Text() const;

 private:
  std::vector<size_t> Widths() const;

  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace xebec::cli
