// SPDX-License-Identifier: Apache-2.0
#include "common/base/strings.h"

#include "common/base/characters.h"
#include "nlohmann/json.hpp"
#include "simdjson.h"

namespace xebec {
namespace {

constexpr std::string_view kEllipsis = "…";

std::string_view CutAtBoundary(std::string_view s, size_t limit) {
  while (limit > 0 && IsContinuation(s[limit])) --limit;
  return s.substr(0, limit);
}

}  // namespace

std::string Ellipsize(std::string_view s, size_t limit) {
  if (s.size() <= limit) return std::string(s);
  if (limit < kEllipsis.size()) return std::string(CutAtBoundary(s, limit));
  return std::string(CutAtBoundary(s, limit - kEllipsis.size())).append(kEllipsis);
}

std::string ToValidUtf8(std::string_view s) {
  if (simdjson::validate_utf8(s.data(), s.size())) return std::string(s);
  // Not with common/base/json.h, whose sources need this file for their messages.
  using nlohmann::json;
  const std::string dumped =
      json(std::string(s)).dump(-1, ' ', false, json::error_handler_t::replace);
  const json repaired = json::parse(dumped, nullptr, /*allow_exceptions=*/false);
  return repaired.is_string() ? repaired.get<std::string>() : std::string();
}

}  // namespace xebec
