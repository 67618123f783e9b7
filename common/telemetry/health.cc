// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/telemetry/http_endpoint.h"

namespace xebec::telemetry {
namespace {

constexpr int kOk = 200;
constexpr int kNotFound = 404;
constexpr int kFailed = 500;

std::pair<int, std::string> AnswerOne(const Checks& checks, const std::string& check) {
  const auto found = checks.find(check);
  if (found == checks.end()) return {kNotFound, absl::StrCat("no check named ", check, "\n")};
  const std::string wrong = ToValidUtf8(found->second());
  return wrong.empty() ? std::pair(kOk, std::string("ok"))
                       : std::pair(kFailed, absl::StrCat(wrong, "\n"));
}

}  // namespace

std::pair<int, std::string> AnswerHealth(const Checks& checks, const std::string& name,
                                         const std::string& path, bool verbose,
                                         const std::vector<std::string>& exclude) {
  if (path.size() > 1) return AnswerOne(checks, path.substr(1));
  std::string lines;
  bool failed = false;
  for (const auto& [check, run] : checks) {
    if (std::find(exclude.begin(), exclude.end(), check) != exclude.end()) {
      absl::StrAppend(&lines, "[+]", check, " excluded: ok\n");
      continue;
    }
    const std::string wrong = ToValidUtf8(run());
    failed = failed || !wrong.empty();
    absl::StrAppend(&lines, wrong.empty() ? absl::StrCat("[+]", check, " ok\n")
                                          : absl::StrCat("[-]", check, " failed: ", wrong, "\n"));
  }
  if (failed) return {kFailed, absl::StrCat(lines, name, " check failed\n")};
  return {kOk, verbose ? absl::StrCat(lines, name, " check passed\n") : "ok"};
}

}  // namespace xebec::telemetry
