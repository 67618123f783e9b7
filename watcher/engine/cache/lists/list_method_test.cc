// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_method.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

ApiFailure Status(int status, const std::string& reason = "") {
  return {status, reason, "", std::nullopt};
}

ApiFailure NotSent() {
  return {
      .http_status = 0, .reason = "", .message = "refused", .retry_after = {}, .not_sent = true};
}

constexpr bool kPlain = false, kSelecting = true;
constexpr double kHalf = 0.5;
constexpr size_t kEnough = 20;  // of half of the objects

TEST(ListMethod, PagesThatBreakOffGetSmallerAndListsThatExpireGetLarger) {
  ListMethod method;
  EXPECT_EQ(method.OnFailure(kPlain, 0, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 500u) << "not a single page came";
  EXPECT_EQ(method.OnFailure(kPlain, 1, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 2000u);
  method.OnFailure(kPlain, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1000u);
  for (int i = 0; i < 99; ++i) method.OnFailure(kPlain, 1, NotSent());
  EXPECT_EQ(method.PageSize(500), 1000u) << "the size was no reason";
  method.OnFailure(kPlain, 1, Status(0));
  method.OnListed();
  EXPECT_EQ(method.PageSize(500), 250u);
  method.OnListed();
  EXPECT_EQ(method.PageSize(500), 500u) << "lists arrive again";
  for (int i = 0; i < 99; ++i) method.OnFailure(kPlain, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1u);
}

kube::ListPage Page(size_t own, size_t foreign, bool sharded = false) {
  kube::ListPage page;
  for (size_t i = 0; i < own; ++i) page.objects.push_back(testing::MakeObject("a", "u", "1"));
  page.foreign = foreign;
  page.sharded = sharded;
  return page;
}

TEST(ListMethod, WatchesAreSelectedOnceAServerHasConfirmedIt) {
  ListMethod says;
  EXPECT_TRUE(says.SelectsPages());
  EXPECT_FALSE(says.SelectsWatches());
  says.OnSelectedPage(Page(0, 0), kHalf);
  EXPECT_FALSE(says.SelectsWatches()) << "an empty page shows nothing";
  says.OnSelectedPage(Page(0, 0, /*sharded=*/true), kHalf);
  EXPECT_TRUE(says.SelectsWatches());
  ListMethod shows;
  shows.OnSelectedPage(Page(kEnough, 0), kHalf);
  EXPECT_TRUE(shows.SelectsWatches()) << "no object of other watchers";
}

// On a server that ignores the selector, the first parents can all be of own buckets.
TEST(ListMethod, AFewObjectsOfOwnBucketsDoNotShowThatTheServerSelects) {
  ListMethod half;
  half.OnSelectedPage(Page(1, 0), kHalf);
  EXPECT_FALSE(half.SelectsWatches());
  half.OnSelectedPage(Page(kEnough - 1, 0), kHalf);
  EXPECT_FALSE(half.SelectsWatches());
  ListMethod most;
  most.OnSelectedPage(Page(100, 0), 0.9);
  EXPECT_FALSE(most.SelectsWatches()) << "hardly any object is of others";
  most.OnSelectedPage(Page(100, 0), 0.1);
  EXPECT_TRUE(most.SelectsWatches());
}

TEST(ListMethod, AServerThatShowsOtherObjectsDoesNotSelectThem) {
  for (const bool says : {false, true}) {
    ListMethod method;
    method.OnSelectedPage(Page(2, 1, says), kHalf);
    EXPECT_FALSE(method.SelectsWatches());
    EXPECT_TRUE(method.SelectsPages()) << "another server may";
    method.OnSelectedPage(Page(kEnough, 0, says), kHalf);
    kube::ListPage whole = Page(1, 0, says);
    whole.objects.front().json = nullptr;
    method.OnSelectedPage(whole, kHalf);
    EXPECT_FALSE(method.SelectsWatches()) << "an older server answers now";
  }
}

TEST(ListMethod, ARefusedSelectorIsNotSentAgain) {
  for (const int status : {400, 422, 500}) {
    ListMethod method;
    method.OnSelectedPage(Page(1, 0), kHalf);
    EXPECT_EQ(method.OnFailure(kSelecting, 0, Status(status)), FailureKind::kSelectorRefused);
    EXPECT_FALSE(method.SelectsPages()) << status;
    EXPECT_FALSE(method.SelectsWatches()) << status;
    method.OnListed();
    method.OnSelectedPage(Page(1, 0), kHalf);
    EXPECT_FALSE(method.SelectsPages()) << "the answer to an older request";
  }
  for (const int status : {0, 401, 403, 429, 503}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(kSelecting, 0, Status(status)), FailureKind::kOther);
    EXPECT_TRUE(method.SelectsPages()) << status;
  }
}

TEST(ListMethod, AFailureWithoutASelectorShowsThatTheSelectorWasNotTheReason) {
  ListMethod method;
  EXPECT_TRUE(method.RefusesSelector(true, Status(500)));
  EXPECT_FALSE(method.SelectsPages());
  EXPECT_FALSE(method.RefusesSelector(false, Status(503)));
  EXPECT_FALSE(method.SelectsPages());
  EXPECT_FALSE(method.RefusesSelector(false, Status(500)));
  EXPECT_TRUE(method.SelectsPages());
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
