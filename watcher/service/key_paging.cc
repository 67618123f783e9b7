// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/key_paging.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace xebec::watcher {
namespace {

constexpr int32_t kDefaultPage = 500;
constexpr int32_t kLargestPage = 1000;  // one step of the engine copies a page

/// What a token begins with. No name of Kubernetes contains a slash.
std::string Scope(const v1::ListKeysRequest& request) {
  return absl::StrCat(request.kind(), "/", request.namespace_(), "/");
}

absl::StatusOr<std::string> ReadToken(const v1::ListKeysRequest& request) {
  const std::string scope = Scope(request);
  std::string text;
  if (request.page_token().empty()) return text;
  const bool decoded = absl::WebSafeBase64Unescape(request.page_token(), &text);
  if (!decoded || !absl::StartsWith(text, scope) ||
      std::count(text.begin() + static_cast<ptrdiff_t>(scope.size()), text.end(), '/') != 3) {
    return absl::InvalidArgumentError(
        "invalid page_token: must be the next_page_token of a ListKeys response for the same kind "
        "and namespace");
  }
  return text.substr(scope.size());
}

}  // namespace

absl::StatusOr<KeyPaging> ReadPaging(const v1::ListKeysRequest& request) {
  const int32_t size = request.page_size();
  if (size < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid page_size ", size, ": must not be negative"));
  }
  XEBEC_ASSIGN_OR_RETURN(std::string token, ReadToken(request));
  const int32_t limit = size == 0 ? kDefaultPage : std::min(size, kLargestPage);
  return KeyPaging{static_cast<size_t>(limit), std::move(token)};
}

std::string PageToken(const v1::ListKeysRequest& request, const std::string& next) {
  return next.empty() ? "" : absl::WebSafeBase64Escape(absl::StrCat(Scope(request), next));
}

}  // namespace xebec::watcher
