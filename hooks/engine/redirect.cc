// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/redirect.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::gateway {
namespace {

/// Returns "https://host:8443" of a URL in lower case, with the port even if it is the default one.
std::string OriginOf(const std::string& url) {
  const size_t scheme_end = url.find("://");
  if (scheme_end == std::string::npos) return "";
  const size_t begin = scheme_end + 3;
  const size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::string scheme = absl::AsciiStrToLower(url.substr(0, scheme_end));
  std::string authority = absl::AsciiStrToLower(url.substr(begin, end - begin));
  const size_t colon = authority.rfind(':');
  const size_t bracket = authority.rfind(']');
  const bool port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  if (!port) authority += scheme == "https" ? ":443" : ":80";
  return absl::StrCat(scheme, "://", authority);
}

bool IsPlain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

absl::StatusOr<std::string> FollowRedirect(const std::string& url, const std::string& location) {
  if (location.empty()) return absl::FailedPreconditionError("it has no location");
  if (!IsPlain(location)) return absl::FailedPreconditionError("its location is malformed");
  const std::string origin = OriginOf(url);
  if (location.front() == '/' && !absl::StartsWith(location, "//")) {
    return absl::StrCat(origin, location);
  }
  if (!absl::StrContains(location, "://") || OriginOf(location) != origin) {
    return absl::FailedPreconditionError(
        absl::StrCat("it leads to another origin, ", Ellipsize(location, 100)));
  }
  return location;
}

}  // namespace xebec::gateway
