// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/failures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/engine/redirect.h"

namespace xebec::gateway {
namespace {

using ::testing::HasSubstr;

CallFacts Facts() { return {"service team-a/web:8443", "web.team-a.svc", absl::Seconds(10), 8192}; }

TEST(Failures, OfGrpcHaveACodeForEachReason) {
  struct Row {
    int code;
    const char* message;
    HookFailureCode wanted;
    const char* text;
  };
  const Row rows[] = {
      {14, "failed to connect to all addresses", HookFailureCode::kUnavailable, "cannot connect"},
      {14, "Ssl handshake failed: certificate verify failed", HookFailureCode::kUnavailable,
       "caBundle"},
      {14, "Hostname Verification Check failed", HookFailureCode::kUnavailable,
       "not valid for the name web.team-a.svc"},
      {4, "Deadline Exceeded", HookFailureCode::kTimeout, "did not answer within 10s"},
      {8, "slow down", HookFailureCode::kThrottled, "slow down"},
      {8, "CLIENT: Received message larger than max (20000 vs. 8192)", HookFailureCode::kTooLarge,
       "more than 8192 bytes"},
      {8, "SERVER: Received message larger than max (20000 vs. 4096)", HookFailureCode::kRejected,
       "20000 vs. 4096"},
      {12, "", HookFailureCode::kRejected, "does not serve"},
      {2, "Exception calling application: x", HookFailureCode::kRejected, "Exception"},
      {2, "Stream removed", HookFailureCode::kUnavailable, "Stream removed"},
      {13, "Received RST_STREAM with error code 2", HookFailureCode::kUnavailable, "RST_STREAM"},
      {7, "no", HookFailureCode::kRejected, "PERMISSION_DENIED: no"},
      {99, "odd", HookFailureCode::kRejected, "code 99"},
  };
  for (const Row& row : rows) {
    const HookFailure failure = GrpcFailure(Facts(), {row.code, row.message, {}});
    EXPECT_EQ(failure.code, row.wanted) << row.code << " " << row.message;
    EXPECT_THAT(failure.message, HasSubstr(row.text));
    EXPECT_THAT(failure.message, HasSubstr("service team-a/web:8443"));
  }
}

TEST(Failures, KeepTheTimeThatTheHookAsksToWaitWithinBounds) {
  const HookFailure throttled = GrpcFailure(Facts(), {8, "", absl::Seconds(7)});
  EXPECT_EQ(throttled.retry_after, absl::Seconds(7));
  EXPECT_EQ(GrpcFailure(Facts(), {8, "", absl::Hours(9)}).retry_after, absl::Minutes(5));
  EXPECT_EQ(GrpcFailure(Facts(), {8, "", -absl::Hours(9)}).retry_after, absl::ZeroDuration());
  EXPECT_EQ(GrpcFailure(Facts(), {14, "", absl::Seconds(1)}).code, HookFailureCode::kThrottled);
}

TEST(Failures, OfHttpHaveACodeForEachStatus) {
  const std::pair<int, HookFailureCode> rows[] = {
      {429, HookFailureCode::kThrottled},   {503, HookFailureCode::kUnavailable},
      {502, HookFailureCode::kUnavailable}, {500, HookFailureCode::kRejected},
      {404, HookFailureCode::kRejected},    {400, HookFailureCode::kRejected}};
  for (const auto& [status, code] : rows) {
    EXPECT_EQ(HttpStatusFailure(Facts(), {status, "why", {}}).code, code) << status;
  }
  const HookFailure wait = HttpStatusFailure(Facts(), {503, "", absl::Seconds(3)});
  EXPECT_EQ(wait.code, HookFailureCode::kThrottled);
  EXPECT_EQ(wait.retry_after, absl::Seconds(3));
  EXPECT_THAT(HttpErrorFailure(Facts(), HttpError::kTls, "SSL: certificate has expired").message,
              HasSubstr("its certificate has expired"));
}

TEST(Failures, CutAndRepairTheTextOfTheHook) {
  const HookFailure failure = GrpcFailure(Facts(), {7, std::string(5000, 'x') + "\xff", {}});
  EXPECT_LT(failure.message.size(), 500u);
  EXPECT_THAT(GrpcFailure(Facts(), {7, "\xff", {}}).message, HasSubstr("\uFFFD"));
}

TEST(Redirect, FollowsOnlyTheSameOrigin) {
  const std::string url = "https://hooks.example.com:8443/a/Sync";
  EXPECT_EQ(*FollowRedirect(url, "/b/Sync"), "https://hooks.example.com:8443/b/Sync");
  EXPECT_EQ(*FollowRedirect(url, "HTTPS://Hooks.example.com:8443/b"),
            "HTTPS://Hooks.example.com:8443/b");
  EXPECT_TRUE(FollowRedirect("http://h:80/", "http://h/x").ok());
  for (const char* bad :
       {"", "http://hooks.example.com:8443/a", "https://hooks.example.com/a",
        "https://other.example.com:8443/a", "//other.example.com/a", "relative",
        "https://hooks.example.com:8443@evil.example.com/a", "https://evil.example.com:8443/a",
        "https://hooks.example.com:8443\\@evil/a b", "/a\r\nX: y"}) {
    EXPECT_FALSE(FollowRedirect(url, bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace xebec::gateway
