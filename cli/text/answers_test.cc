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

TEST(KeysText, ShowsOneLineForEachParent) {
  v1::ListKeysResponse answer;
  *answer.add_keys() = Key("calm", v1::KEY_STATE_IDLE);
  v1::KeySummary failing = Key("failing", v1::KEY_STATE_DELAYED);
  failing.set_failures(3);
  failing.add_reasons("created");
  failing.add_reasons("retry");
  *failing.mutable_next() = At(1042);
  *answer.add_keys() = failing;
  EXPECT_EQ(
      KeysText(answer, kNow),
      "KIND                 NAMESPACE   NAME      STATE     FAILURES   RETRY IN   LAST REASON\n"
      "irises.example.com   default     calm      Idle      0\n"
      "irises.example.com   default     failing   Delayed   3          42s        retry\n");
}

TEST(KeysText, SaysThatThereAreNone) {
  EXPECT_EQ(KeysText(v1::ListKeysResponse(), kNow), "No parents found.\n");
}

TEST(ExplanationText, SaysWhereWhyAndWhatFor) {
  v1::ExplainResponse answer;
  *answer.mutable_key() = Key("late", v1::KEY_STATE_DELAYED);
  answer.mutable_key()->set_failures(1);
  *answer.mutable_key()->mutable_next() = At(1004);
  answer.mutable_key()->add_reasons("created");
  answer.set_explanation("Will be reconciled later.");
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
