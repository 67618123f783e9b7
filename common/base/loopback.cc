// SPDX-License-Identifier: Apache-2.0
#include "common/base/loopback.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/base/strings.h"

namespace xebec {
namespace {

bool IsByte(const std::string& text) {
  uint32_t number = 0;
  return text.size() <= 3 && absl::SimpleAtoi(text, &number) && number <= 255;
}

}  // namespace

bool IsLoopback(std::string_view server) {
  if (const size_t scheme = server.find("://"); scheme != std::string_view::npos) {
    server.remove_prefix(scheme + 3);
  }
  server = server.substr(0, server.find_first_of("/?#"));
  // The text before it is user information, not the host.
  if (server.find('@') != std::string_view::npos) return false;
  if (server == "[::1]" || server.substr(0, 6) == "[::1]:") return true;
  const std::string_view host = server.substr(0, server.find(':'));
  if (host == "localhost") return true;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(host), '.');
  return parts.size() == 4 && parts[0] == "127" && std::all_of(parts.begin(), parts.end(), IsByte);
}

}  // namespace xebec
