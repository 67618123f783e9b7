// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_method.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

ApiFailure Status(int status, const std::string& reason = "") {
  return {status, reason, "", std::nullopt};
}

constexpr RequestOptions kStream{true, false}, kPages{false, false};
constexpr RequestOptions kSelectedStream{true, true}, kSelectedPages{false, true};

TEST(ListMethod, StreamsUntilTheServerRefusesIt) {
  for (const int status : {400, 405, 422, 501}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(kStream, 0, Status(status)), FailureKind::kStreamingRefused);
    EXPECT_FALSE(method.streaming()) << status;
    method.OnListed();
    EXPECT_FALSE(method.streaming()) << "it will refuse it again";
  }
  for (const int status : {401, 403, 404, 429, 500}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(kStream, 0, Status(status)), FailureKind::kOther);
    EXPECT_TRUE(method.streaming()) << status;
  }
}

TEST(ListMethod, StreamsThatAreCutOrSilentAreReplacedByPagesForOneList) {
  ListMethod method;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(method.streaming());
    method.OnFailure(kStream, 0, Status(0));
  }
  EXPECT_FALSE(method.streaming());
  method.OnListed();
  EXPECT_TRUE(method.streaming());
  method.OnSilence();
  EXPECT_FALSE(method.streaming());
}

TEST(ListMethod, ThrottledStreamsAreNotCut) {
  ListMethod method;
  for (int i = 0; i < 9; ++i) method.OnFailure(kStream, 0, Status(429));
  EXPECT_TRUE(method.streaming());
}

TEST(ListMethod, PagesThatBreakOffGetSmallerAndListsThatExpireGetLarger) {
  ListMethod method;
  EXPECT_EQ(method.OnFailure(kPages, 0, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 500u) << "not a single page came";
  EXPECT_EQ(method.OnFailure(kPages, 1, Status(410)), FailureKind::kExpired);
  EXPECT_EQ(method.PageSize(500), 2000u);
  method.OnFailure(kPages, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1000u);
  method.OnListed();
  EXPECT_EQ(method.PageSize(500), 250u);
  for (int i = 0; i < 99; ++i) method.OnFailure(kPages, 1, Status(0));
  EXPECT_EQ(method.PageSize(500), 1u);
}

kube::ListPage Page(size_t own, size_t foreign, bool sharded = false) {
  kube::ListPage page;
  for (size_t i = 0; i < own; ++i) page.objects.push_back(testing::MakeObject("a", "u", "1"));
  page.foreign = foreign;
  page.sharded = sharded;
  return page;
}

TEST(ListMethod, StreamsAreSelectedOnceAServerHasConfirmedIt) {
  ListMethod says;
  EXPECT_TRUE(says.SelectsPages());
  EXPECT_FALSE(says.SelectsStreams());
  EXPECT_FALSE(says.OnSelectedPage(Page(0, 0))) << "an empty page shows nothing";
  EXPECT_FALSE(says.SelectsStreams());
  EXPECT_TRUE(says.OnSelectedPage(Page(0, 0, /*sharded=*/true)));
  EXPECT_TRUE(says.SelectsStreams());
  EXPECT_FALSE(says.OnSelectedPage(Page(0, 0, /*sharded=*/true))) << "it is known";
  ListMethod shows;
  EXPECT_TRUE(shows.OnSelectedPage(Page(2, 0))) << "no object of other watchers";
  EXPECT_TRUE(shows.SelectsStreams());
}

TEST(ListMethod, AServerThatShowsOtherObjectsDoesNotSelectThem) {
  for (const bool says : {false, true}) {
    ListMethod method;
    EXPECT_FALSE(method.OnSelectedPage(Page(2, 1, says)));
    EXPECT_FALSE(method.SelectsStreams());
    EXPECT_TRUE(method.SelectsPages()) << "another server may";
    method.OnSelectedPage(Page(2, 0, says));
    kube::ListPage whole = Page(1, 0, says);
    whole.objects.front().json = nullptr;
    EXPECT_FALSE(method.OnSelectedPage(whole));
    EXPECT_FALSE(method.SelectsStreams()) << "an older server answers now";
  }
}

TEST(ListMethod, ARefusedSelectorIsNotSentAgain) {
  for (const int status : {400, 422, 500}) {
    for (const RequestOptions request : {kSelectedPages, kSelectedStream}) {
      ListMethod method;
      method.OnSelectedPage(Page(1, 0));
      EXPECT_EQ(method.OnFailure(request, 0, Status(status)), FailureKind::kSelectorRefused);
      EXPECT_FALSE(method.SelectsPages()) << status;
      EXPECT_FALSE(method.SelectsStreams()) << status;
      EXPECT_TRUE(method.streaming()) << "only the selector was refused";
      method.OnListed();
      method.OnSelectedPage(Page(1, 0));
      EXPECT_FALSE(method.SelectsPages()) << "the answer to an older request";
    }
  }
  for (const int status : {0, 401, 403, 429, 503}) {
    ListMethod method;
    EXPECT_EQ(method.OnFailure(kSelectedPages, 0, Status(status)), FailureKind::kOther);
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
