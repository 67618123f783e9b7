// SPDX-License-Identifier: Apache-2.0
#include "cli/text/answers.h"

#include "google/protobuf/util/time_util.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1000);

google::protobuf::Timestamp At(int64_t seconds) {
  return google::protobuf::util::TimeUtil::SecondsToTimestamp(seconds);
}

v1::KeySummary Key(const std::string& name, v1::KeyState state) {
  v1::KeySummary key;
  key.mutable_ref()->mutable_type()->set_group("example.com");
  key.mutable_ref()->mutable_type()->set_plural("irises");
  key.mutable_ref()->set_namespace_("default");
  key.mutable_ref()->set_name(name);
  key.set_state(state);
  return key;
}

v1::ListKeysResponse Page(const std::vector<std::string>& names) {
  v1::ListKeysResponse page;
  for (const std::string& name : names) *page.add_keys() = Key(name, v1::KEY_STATE_IDLE);
  return page;
}

TEST(KeysTable, ShowsOneLineForEachParent) {
  v1::ListKeysResponse page = Page({"calm"});
  v1::KeySummary failing = Key("failing", v1::KEY_STATE_DELAYED);
  failing.set_failures(3);
  failing.add_reasons("created");
  failing.add_reasons("retry");
  *failing.mutable_next() = At(1042);
  *page.add_keys() = failing;
  KeysTable table;
  EXPECT_EQ(
      table.Add(page, kNow),
      "KIND                 NAMESPACE   NAME      STATE     FAILURES   RETRY IN   LAST REASON\n"
      "irises.example.com   default     calm      Idle      0\n"
      "irises.example.com   default     failing   Delayed   3          42s        retry\n");
  EXPECT_EQ(table.End(), "");
}

TEST(KeysTable, ShowsControllersFromTheFirstParentThatHasSeveral) {
  KeysTable table;
  EXPECT_EQ(table.Add(Page({"a"}), kNow),
            "KIND                 NAMESPACE   NAME   STATE   FAILURES   RETRY IN   LAST REASON\n"
            "irises.example.com   default     a      Idle    0\n");
  v1::ListKeysResponse page = Page({"b", "b"});
  page.mutable_keys(0)->set_controller("first");
  page.mutable_keys(1)->set_controller("second");
  EXPECT_EQ(
      table.Add(page, kNow),
      "KIND                 NAMESPACE   NAME   CONTROLLER   STATE   FAILURES   RETRY IN   LAST "
      "REASON\n"
      "irises.example.com   default     b      first        Idle    0\n"
      "irises.example.com   default     b      second       Idle    0\n");
}

TEST(KeysTable, ContinuesOnTheNextPage) {
  KeysTable table;
  table.Add(Page({"longer"}), kNow);
  EXPECT_EQ(table.Add(Page({}), kNow), "");
  EXPECT_EQ(table.Add(Page({"x"}), kNow), "irises.example.com   default     x        Idle    0\n");
}

TEST(KeysTable, SaysThatThereAreNone) {
  KeysTable table;
  EXPECT_EQ(table.Add(Page({}), kNow), "");
  EXPECT_EQ(table.End(), "No parents found.\n");
}

TEST(ExplanationText, SaysWhereWhyAndWhatFor) {
  v1::ExplainResponse answer;
  *answer.mutable_key() = Key("late", v1::KEY_STATE_DELAYED);
  answer.mutable_key()->set_failures(1);
  *answer.mutable_key()->mutable_next() = At(1004);
  answer.mutable_key()->add_reasons("created");
  answer.set_explanation("Will be reconciled later.");
  answer.set_watcher("xebec-watcher-7bd86dcc76-b62v4_1f3a");
  answer.add_waiting_for("the name of Deployment default/taken");
  v1::Outcome* outcome = answer.add_last_outcomes();
  outcome->set_operation("apply deployments.apps default/taken");
  outcome->set_code(v1::OUTCOME_CODE_NAME_CONFLICT);
  outcome->set_message("it has no controller");
  *outcome->mutable_at() = At(988);
  EXPECT_EQ(
      ExplanationText(answer, kNow),
      "irises.example.com default/late   Delayed, 1 failure, retry in 4s\n"
      "Will be reconciled later.\n"
      "Watcher: xebec-watcher-7bd86dcc76-b62v4\n"
      "Waiting for:\n"
      "  the name of Deployment default/taken\n"
      "Queued because:\n"
      "  created\n"
      "Last operations:\n"
      "  apply deployments.apps default/taken   NameConflict   12s ago   it has no controller\n");
}

TEST(ExplanationText, WhatIsNotThereHasNoHeading) {
  v1::ExplainResponse answer;
  *answer.mutable_key() = Key("calm", v1::KEY_STATE_IDLE);
  answer.set_explanation("Nothing to do until something changes.");
  EXPECT_EQ(ExplanationText(answer, kNow),
            "irises.example.com default/calm   Idle\nNothing to do until something changes.\n");
}

TEST(ActivityText, IsOneLineWhateverTheWatcherSays) {
  v1::WatchActivityResponse activity;
  *activity.mutable_time() = At(61);
  activity.set_what("Applied");
  *activity.mutable_ref() = Key("web", v1::KEY_STATE_IDLE).ref();
  activity.set_detail("1 Created\n2 Changed");
  EXPECT_EQ(ActivityText(activity),
            "00:01:01.000   Applied   irises.example.com default/web   1 Created 2 Changed\n");
}

}  // namespace
}  // namespace xebec::cli
