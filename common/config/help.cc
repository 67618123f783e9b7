// SPDX-License-Identifier: Apache-2.0
#include "common/config/help.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/names.h"

namespace xebec::config {
namespace {

constexpr size_t kMinGap = 2;

struct Line {
  std::string flag;
  std::string text;
};

Line LineOf(const Binding& binding) {
  const std::string value = absl::StrJoin(binding.get(), ",");
  return {absl::StrCat("--", FlagName(binding.key), binding.placeholder.empty() ? "" : " ",
                       binding.placeholder),
          absl::StrCat(binding.help, value.empty() ? "" : absl::StrCat(" (default ", value, ")"))};
}

std::string Table(const std::vector<Line>& lines) {
  size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.flag.size());
  std::string table;
  for (const Line& line : lines) {
    absl::StrAppend(&table, "  ", line.flag, std::string(width - line.flag.size() + kMinGap, ' '),
                    line.text, "\n");
  }
  return table;
}

}  // namespace

std::string PrintHelp(const std::string& program, const std::string& summary,
                      const std::vector<Binding>& bindings) {
  std::vector<Line> lines;
  lines.reserve(bindings.size());
  for (const Binding& binding : bindings) lines.push_back(LineOf(binding));
  const std::vector<Line> general = {{"--config FILE", "read settings from a YAML file"},
                                     {"--print-config", "print all settings as YAML and exit"},
                                     {"--version", "print the version and exit"},
                                     {"-h, --help", "print this text and exit"}};
  lines.insert(lines.end(), general.begin(), general.end());
  return absl::StrCat(
      "Usage: ", program, " [flags]\n\n", summary, "\n\nFlags:\n", Table(lines),
      "\nEach flag is also a key of the file and an environment variable: --log-level "
      "is \"log: {level: ...}\" and XEBEC_LOG_LEVEL.\nFlags override variables, and "
      "variables override the file.\n");
}

}  // namespace xebec::config
