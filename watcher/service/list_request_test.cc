// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/list_request.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ResourceType Irises() {
  return {.group = "example.com", .version = "v1alpha1", .kind = "Iris", .plural = "irises"};
}

TEST(ListRequest, AsksForAConsistentPage) {
  const kube::ApiRequest request = ListRequest({.stream = 1, .type = Irises(), .limit = 500});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/apis/example.com/v1alpha1/irises?limit=500");
}

TEST(ListRequest, ContinuesWhereThePageBeforeEnded) {
  const kube::ApiRequest request =
      ListRequest({.stream = 1, .type = Irises(), .ns = "a", .continue_token = "x=/+"});
  EXPECT_THAT(request.path, HasSubstr("/namespaces/a/irises?"));
  EXPECT_THAT(request.path, HasSubstr("continue=x%3D%2F%2B"));
}

TEST(WatchRequest, ResumesFromACursorWithBookmarks) {
  const kube::ApiRequest request = WatchRequest(
      {.stream = 1, .type = Irises(), .resource_version = "42", .timeout = absl::Minutes(7)});
  EXPECT_THAT(request.path, HasSubstr("watch=1"));
  EXPECT_THAT(request.path, HasSubstr("allowWatchBookmarks=true"));
  EXPECT_THAT(request.path, HasSubstr("resourceVersion=42"));
  EXPECT_THAT(request.path, HasSubstr("timeoutSeconds=420"));
}

TEST(WatchRequest, OnlyWhatIsToBeSelectedHasAShardSelector) {
  BucketSet buckets(4);
  buckets.Add(1);
  const kube::BucketFilter keep{std::make_shared<const BucketSet>(buckets), /*parents=*/true};
  kube::Projection parents;
  parents.keep = keep;
  const std::string selector = kube::ShardSelector(keep);
  const std::string shard =
      "shardSelector=shardRange%28object.metadata.uid%2C%20%270x4000000000000000%27%2C%20"
      "%270x8000000000000000%27%29";
  EXPECT_THAT(WatchRequest({.stream = 1, .type = Irises(), .shard_selector = selector}).path,
              HasSubstr(shard));
  EXPECT_THAT(ListRequest({.stream = 1, .type = Irises(), .shard_selector = selector}).path,
              HasSubstr(shard));
  EXPECT_THAT(WatchRequest({.stream = 1, .type = Irises(), .projection = parents}).path,
              Not(HasSubstr("shard")));
  EXPECT_THAT(ListRequest({.stream = 1, .type = Irises(), .projection = parents}).path,
              Not(HasSubstr("shard")));
}

TEST(ListRequest, ALiveListCanSelectByFields) {
  LiveList list{.read = 1, .type = Irises(), .ns = "default"};
  EXPECT_THAT(ListRequest(list, "").path, Not(HasSubstr("fieldSelector")));
  list.field_selector = "type=Warning,involvedObject.name=a";
  EXPECT_THAT(ListRequest(list, "").path,
              HasSubstr("fieldSelector=type%3DWarning%2CinvolvedObject.name%3Da"));
}

}  // namespace
}  // namespace xebec::watcher
