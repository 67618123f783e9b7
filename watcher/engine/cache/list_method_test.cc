// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_method.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

ApiFailure Status(int status, const std::string& reason = "") {
  return {status, reason, "", std::nullopt};
}

TEST(ListMethod, StreamsUntilTheServerRefusesIt) {
  for (const int status : {400, 405, 422, 501}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(true, 0, Status(status)), FailureKind::kStreamingRefused);
    EXPECT_FALSE(method.streaming()) << status;
    method.OnListed();
    EXPECT_FALSE(method.streaming()) << "it will refuse it again";
  }
  for (const int status : {401, 403, 404, 429, 500}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(true, 0, Status(status)), FailureKind::kOther);
    EXPECT_TRUE(method.streaming()) << status;
  }
}

TEST(ListMethod, StreamsThatAreCutOrSilentAreReplacedByPagesForOneList) {
  ListMethod method;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(method.streaming());
    method.OnFailure(true, 0, Status(0));
  }
  EXPECT_FALSE(method.streaming());
  method.OnListed();
  EXPECT_TRUE(method.streaming());
  method.OnSilence();
  EXPECT_FALSE(method.streaming());
}

TEST(ListMethod, ThrottledStreamsAreNotCut) {
  ListMethod method;
  for (int i = 0; i < 9; ++i) method.OnFailure(true, 0, Status(429));
  EXPECT_TRUE(method.streaming());
}

TEST(ListMethod, PagesThatBreakOffGetSmallerAndListsThatExpireGetLarger) {
  ListMethod method;
  EXPECT_EQ(method.OnFailure(false, 0, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 500u) << "not a single page came";
  EXPECT_EQ(method.OnFailure(false, 1, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 2000u);
  method.OnFailure(false, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1000u);
  method.OnListed();
  EXPECT_EQ(method.PageSize(500), 250u);
  for (int i = 0; i < 99; ++i) method.OnFailure(false, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1u);
}

TEST(FailureKind, OnlyKindsOfAGroupCanBeMissing) {
  const ResourceType gadgets{"example.com", "v1", "Gadget", "gadgets", false};
  const ResourceType pods{"", "v1", "Pod", "pods", false};
  EXPECT_EQ(KindOf(Status(404), gadgets), FailureKind::kMissing);
  EXPECT_EQ(KindOf(Status(404), pods), FailureKind::kOther);
  EXPECT_EQ(KindOf(Status(410), pods), FailureKind::kExpired);
  EXPECT_EQ(KindOf(Status(500, "Expired"), pods), FailureKind::kExpired);
}

}  // namespace
}  // namespace xebec::watcher
