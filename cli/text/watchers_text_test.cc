// SPDX-License-Identifier: Apache-2.0
#include "cli/text/watchers_text.h"

#include "google/protobuf/util/time_util.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1000);

v1::WatcherSummary Watcher(const std::string& identity, uint32_t buckets) {
  v1::WatcherSummary watcher;
  watcher.set_identity(identity);
  watcher.set_address("10.0.0.1:7442");
  watcher.set_state(v1::WATCHER_STATE_ACTIVE);
  watcher.set_bucket_count(buckets);
  watcher.set_keys(buckets * 100);
  watcher.set_resident_bytes(uint64_t{buckets} << 20);
  return watcher;
}

TEST(WatchersText, HasOneLineForEachWatcher) {
  v1::ListWatchersResponse list;
  *list.add_watchers() = Watcher("watcher-a_1_ff", 64);
  list.mutable_watchers(0)->set_answering(true);
  v1::WatcherSummary silent = Watcher("watcher-b_2_ff", 62);
  silent.set_state(v1::WATCHER_STATE_SILENT);
  *silent.mutable_silent_since() = google::protobuf::util::TimeUtil::SecondsToTimestamp(988);
  silent.clear_keys();
  silent.clear_resident_bytes();
  *list.add_watchers() = silent;
  list.set_bucket_count(128);
  EXPECT_EQ(WatchersText(list, kNow),
            "NAME                  ADDRESS         STATE            BUCKETS   KEYS   MEMORY\n"
            "watcher-a (queried)   10.0.0.1:7442   Active           64        6400   64Mi\n"
            "watcher-b             10.0.0.1:7442   Silent for 12s   62\n");
}

TEST(WatchersText, SaysWhyWatchersWaitAndWhichBucketsHaveNone) {
  v1::ListWatchersResponse list;
  *list.add_watchers() = Watcher("watcher-a_1_ff", 0);
  list.mutable_watchers(0)->set_state(v1::WATCHER_STATE_WAITING);
  list.mutable_watchers(0)->set_reason("the setting buckets\nis 64");
  list.set_bucket_count(128);
  list.set_unassigned_buckets("3,5-7");
  const std::string text = WatchersText(list, kNow);
  EXPECT_EQ(text.substr(text.find("0Mi")),
            "0Mi\n"
            "watcher-a waits: the setting buckets is 64\n"
            "Buckets without a watcher: 3,5-7 (of 128)\n");
}

TEST(WatchersText, WarnsOfAWatcherWithOtherSettings) {
  v1::ListWatchersResponse list;
  *list.add_watchers() = Watcher("watcher-a_1_ff", 0);
  list.mutable_watchers(0)->set_warning("it has other kinds than\nwatcher-b");
  const std::string text = WatchersText(list, kNow);
  EXPECT_EQ(text.substr(text.find("0Mi")), "0Mi\nwatcher-a: it has other kinds than watcher-b\n");
}

TEST(WatchersText, WatchersOfOneHostHaveTheirIdentities) {
  v1::ListWatchersResponse list;
  *list.add_watchers() = Watcher("here_aa", 1);
  *list.add_watchers() = Watcher("here_bb", 1);
  const std::string text = WatchersText(list, kNow);
  EXPECT_NE(text.find("\nhere_aa "), std::string::npos) << text;
  EXPECT_NE(text.find("\nhere_bb "), std::string::npos) << text;
}

TEST(UnansweredText, NamesThePodAndTheAddress) {
  EXPECT_EQ(UnansweredText("watcher-a_1_ff", "10.0.0.1:7442", "timed\nout"),
            "watcher watcher-a at 10.0.0.1:7442 did not answer, so the output may be incomplete: "
            "timed out");
  EXPECT_EQ(UnansweredText("watcher-a_1_ff", "", "no address"),
            "watcher watcher-a did not answer, so the output may be incomplete: no address");
}

TEST(UnansweredText, SaysWhatAnIncompleteAnswerMayLack) {
  v1::UnansweredWatcher watcher;
  watcher.set_identity("watcher-a_1_ff");
  watcher.set_address("10.0.0.1:7442");
  watcher.set_error("timed out");
  EXPECT_EQ(UnansweredText(watcher),
            UnansweredText("watcher-a_1_ff", "10.0.0.1:7442", "timed out"));
  watcher.set_answered(true);
  watcher.set_error("is still listing the objects of 8 of its buckets");
  EXPECT_EQ(
      UnansweredText(watcher),
      "watcher watcher-a at 10.0.0.1:7442 is still listing the objects of 8 of its buckets, so "
      "the output may be incomplete");
  v1::UnansweredWatcher nobody;
  nobody.set_answered(true);
  nobody.set_error("8 of 64 buckets have no watcher");
  EXPECT_EQ(UnansweredText(nobody),
            "8 of 64 buckets have no watcher, so the output may be incomplete");
}

}  // namespace
}  // namespace xebec::cli
