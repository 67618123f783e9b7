// SPDX-License-Identifier: Apache-2.0
#include "common/config/names.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/strings.h"

namespace xebec::config {
namespace {

constexpr size_t kMaxTypingErrors = 2;

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

/// The part after the last "_PORT_": "7443_TCP", "7443_TCP_ADDR".
bool IsPortOfService(std::string_view rest) {
  const size_t end = rest.find('_');
  if (end == std::string_view::npos || !AllDigits(rest.substr(0, end))) return false;
  const std::string_view protocol = rest.substr(end + 1, 3);
  return protocol == "TCP" || protocol == "UDP" || protocol == "SCT";
}

/// Returns the Levenshtein distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string FlagName(std::string_view key) {
  std::string flag;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isupper(byte)) flag.push_back('-');
    flag.push_back(c == '.' ? '-' : absl::ascii_tolower(byte));
  }
  return flag;
}

std::string VariableName(std::string_view key) {
  return absl::StrCat("XEBEC_",
                      absl::AsciiStrToUpper(absl::StrReplaceAll(FlagName(key), {{"-", "_"}})));
}

bool IsServiceLink(std::string_view variable) {
  if (absl::EndsWith(ToAbsl(variable), "_PORT") ||
      absl::EndsWith(ToAbsl(variable), "_SERVICE_HOST")) {
    return true;
  }
  if (absl::StrContains(ToAbsl(variable), "_SERVICE_PORT")) return true;
  constexpr std::string_view kPort = "_PORT_";
  const size_t port = variable.rfind(kPort);
  return port != std::string_view::npos && IsPortOfService(variable.substr(port + kPort.size()));
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  size_t best_distance = kMaxTypingErrors + 1;
  for (const std::string& candidate : known) {
    const size_t distance = Distance(name, candidate);
    if (distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best == nullptr ? "" : absl::StrCat(" (did you mean ", *best, "?)");
}

}  // namespace xebec::config
