// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/text/table.h"
#include "cli/text/words.h"
#include "common/base/json.h"

namespace xebec::cli {

void CheckReport::Add(const std::string& check, bool ok, const std::string& message) {
  results_.push_back({subject_, check, ok, message});
}

size_t CheckReport::failed() const {
  return static_cast<size_t>(std::count_if(results_.begin(), results_.end(),
                                           [](const Result& result) { return !result.ok; }));
}

std::string CheckReport::Text() const {
  std::string text, subject;
  Table table;
  for (const Result& result : results_) {
    if (result.subject != subject) {
      absl::StrAppend(&text, table.TakeText(), OneLine(result.subject), "\n");
    }
    subject = result.subject;
    table.Add({result.ok ? "ok" : "FAIL", result.check, result.message});
  }
  return absl::StrCat(text, table.TakeText());
}

std::string CheckReport::Json() const {
  xebec::Json checks = xebec::Json::array();
  for (const Result& result : results_) {
    xebec::Json each = {{"check", result.check}, {"ok", result.ok}, {"message", result.message}};
    if (!result.subject.empty()) each["parent"] = result.subject;
    checks.push_back(std::move(each));
  }
  return absl::StrCat(xebec::Json{{"checks", checks}}.dump(1), "\n");
}

}  // namespace xebec::cli
