// SPDX-License-Identifier: Apache-2.0
#include "cli/text/table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/text/words.h"
#include "common/base/characters.h"

namespace xebec::cli {

void Table::Add(std::vector<std::string> cells) {
  widths_.resize(std::max(widths_.size(), cells.size()));
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = OneLine(cells[i]);
    widths_[i] = std::max(widths_[i], CountCharacters(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::TakeText() {
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent_;
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths_[i] == 0) continue;
      absl::StrAppend(&line, row[i], std::string(widths_[i] - CountCharacters(row[i]) + 3, ' '));
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text, line, "\n");
  }
  rows_.clear();
  return text;
}

}  // namespace xebec::cli
