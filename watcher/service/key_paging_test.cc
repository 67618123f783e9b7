// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/key_paging.h"

#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

v1::ListKeysRequest Request(const std::string& kind, const std::string& ns) {
  v1::ListKeysRequest request;
  request.set_kind(kind);
  request.set_namespace_(ns);
  return request;
}

size_t LimitOf(int32_t page_size) {
  v1::ListKeysRequest request;
  request.set_page_size(page_size);
  return ReadPaging(request)->limit;
}

absl::StatusCode CodeOf(v1::ListKeysRequest request, const std::string& token) {
  request.set_page_token(token);
  return ReadPaging(request).status().code();
}

TEST(KeyPaging, SizesHaveADefaultAndAMaximum) {
  EXPECT_EQ(LimitOf(0), 500u);
  EXPECT_EQ(LimitOf(1), 1u);
  EXPECT_EQ(LimitOf(1000), 1000u);
  EXPECT_EQ(LimitOf(1001), 1000u);
  EXPECT_EQ(LimitOf(std::numeric_limits<int32_t>::max()), 1000u);
  v1::ListKeysRequest request;
  request.set_page_size(-1);
  EXPECT_EQ(ReadPaging(request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(KeyPaging, ATokenLeadsToTheNextPage) {
  for (const auto& [kind, ns] : {std::pair("", ""), std::pair("iris", "team")}) {
    v1::ListKeysRequest request = Request(kind, ns);
    EXPECT_EQ(ReadPaging(request)->token, "");
    request.set_page_token(PageToken(request, "irises.example.com/team/web/irises.example.com"));
    EXPECT_EQ(request.page_token().find_first_of("+/="), std::string::npos) << "safe in URLs";
    EXPECT_EQ(ReadPaging(request)->token, "irises.example.com/team/web/irises.example.com");
    EXPECT_EQ(PageToken(request, ""), "") << "the last page";
  }
}

TEST(KeyPaging, ATokenOfAnotherListingIsRefused) {
  const v1::ListKeysRequest request = Request("iris", "team");
  const std::string next = "irises.example.com/team/web/irises.example.com";
  EXPECT_EQ(CodeOf(request, PageToken(request, next)), absl::StatusCode::kOk);
  for (const v1::ListKeysRequest& other :
       {Request("iris", "other"), Request("irises", "team"), Request("", "team"), Request("", "")})
    EXPECT_EQ(CodeOf(other, PageToken(request, next)), absl::StatusCode::kInvalidArgument);
}

TEST(KeyPaging, AMalformedTokenIsRefused) {
  const v1::ListKeysRequest all;
  for (const char* text :
       {"", "/", "//", "//irises.example.com", "//a/b/c", "//a/b/c/d/e", "x/y/a/b/c/d"})
    EXPECT_EQ(CodeOf(all, text[0] == '\0' ? "!" : absl::WebSafeBase64Escape(text)),
              absl::StatusCode::kInvalidArgument)
        << text;
}

}  // namespace
}  // namespace xebec::watcher
