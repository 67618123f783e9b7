// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_run.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::MakeObject;

constexpr absl::Duration kNow = absl::Seconds(100);

ListRun MakeRun() { return {7, /*selecting=*/false, 3, kNow, "10"}; }

TEST(ListRun, KeepsOnlyWhatTheStoreDoesNotHave) {
  ListRun run = MakeRun();
  run.Take(MakeObject("known", "uk", "5"), /*known=*/true);
  run.Take(MakeObject("new", "un", "6"), /*known=*/false);
  run.Take(MakeObject("twice", "ut", "6"), /*known=*/false);
  run.Take(MakeObject("twice", "ut", "7"), /*known=*/true);
  const CompleteList list = std::move(run).Complete("12");
  EXPECT_EQ(list.news.size(), 1u);
  EXPECT_TRUE(list.news.Find({"default", "new"}));
  EXPECT_EQ(list.number, 3u);
  EXPECT_EQ(list.began, kNow);
  EXPECT_EQ(list.version, "12");
}

TEST(ListRun, RemovalsCountForOlderStatesOfTheSameObjectOnly) {
  ListRun run = MakeRun();
  run.Take(MakeObject("older", "uo", "11"), false);
  run.Take(MakeObject("newer", "un", "14"), false);
  run.Take(MakeObject("other", "another", "11"), false);
  run.OnRemoved(MakeObject("older", "uo", "13").header);
  run.OnRemoved(MakeObject("newer", "un", "13").header);
  run.OnRemoved(MakeObject("other", "uo", "13").header);
  const CompleteList list = std::move(run).Complete("20");
  EXPECT_FALSE(list.news.Find({"default", "older"}));
  EXPECT_TRUE(list.news.Find({"default", "newer"}));
  EXPECT_TRUE(list.news.Find({"default", "other"}));
}

TEST(ListRun, RefusesVersionsBeforeTheCursor) {
  EXPECT_TRUE(MakeRun().Refuses("9"));
  EXPECT_FALSE(MakeRun().Refuses("10"));
  EXPECT_TRUE(MakeRun().Refuses("")) << "a list has a version";
  EXPECT_TRUE(MakeRun().Refuses("x1")) << "among versions that can be compared";
  EXPECT_FALSE(ListRun(7, false, 3, kNow, "").Refuses("1"));
}

TEST(ListRun, CountsItsPages) {
  ListRun run = MakeRun();
  EXPECT_EQ(run.pages(), 0u);
  run.NextPage(8, /*selecting=*/true);
  EXPECT_EQ(run.stream(), 8u);
  EXPECT_EQ(run.pages(), 1u);
  EXPECT_TRUE(run.selecting());
}

}  // namespace
}  // namespace xebec::watcher
