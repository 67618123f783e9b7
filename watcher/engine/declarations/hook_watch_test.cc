// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_watch.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

const HookEndpoint kEndpoint{std::string("hook:1"), HookProtocol::kGrpc, {}};

class HookWatchTest : public ::testing::Test {
 protected:
  // The call that is sent now; fails if there is none.
  CallHook Call() {
    Outputs out;
    watch_.OnTick(now_, credits_, &sequence_, &out);
    EXPECT_EQ(out.size(), 1u);
    return out.empty() ? CallHook{} : std::get<CallHook>(out[0]);
  }
  bool Sends() {
    Outputs out;
    watch_.OnTick(now_, credits_, &sequence_, &out);
    return !out.empty();
  }

  HookWatch watch_;
  absl::Duration now_ = absl::Seconds(100);
  uint32_t credits_ = 8;
  uint64_t sequence_ = 0;
};

TEST_F(HookWatchTest, AlwaysAsksForTheNextChange) {
  watch_.Follow("web", kEndpoint, now_);
  const CallHook first = Call();
  EXPECT_EQ(first.call.known, HookState());
  EXPECT_FALSE(Sends()) << "one call at a time";
  EXPECT_FALSE(watch_.On({first.sequence + 7, {HookState{true, "r", ""}, "", false}}, now_));
  EXPECT_TRUE(watch_.On({first.sequence, {HookState{true, "r1", ""}, "", false}}, now_));
  EXPECT_EQ(watch_.state(), (HookState{true, "r1", ""}));
  EXPECT_EQ(Call().call.known, (HookState{true, "r1", ""}));
}

TEST_F(HookWatchTest, WithoutAGatewayTheHookIsNotAvailable) {
  credits_ = 0;
  watch_.Follow("web", kEndpoint, now_);
  EXPECT_FALSE(Sends());
  EXPECT_EQ(watch_.state(), std::nullopt) << "it may be about to connect";
  now_ += absl::Seconds(2);
  EXPECT_FALSE(Sends());
  EXPECT_FALSE(watch_.state()->available);
  credits_ = 8;
  now_ = watch_.NextDeadline();
  Call();
}

TEST_F(HookWatchTest, AGatewayThatIsReplacedChangesNothing) {
  watch_.Follow("web", kEndpoint, now_);
  watch_.On({Call().sequence, {HookState{true, "r1", ""}, "", false}}, now_);
  const HookFailure lost{HookFailureCode::kUnavailable, "stream lost", {}};
  watch_.On({Call().sequence, {lost, "", false}}, now_);
  credits_ = 0;
  now_ = watch_.NextDeadline();
  EXPECT_FALSE(Sends());
  EXPECT_TRUE(watch_.state()->available);
  credits_ = 8;
  now_ = watch_.NextDeadline();
  watch_.On({Call().sequence, {HookState{true, "r1", ""}, "", false}}, now_);
  watch_.On({Call().sequence, {lost, "", false}}, now_);
  now_ += absl::Seconds(1.9);
  watch_.On({Call().sequence, {lost, "", false}}, now_);
  EXPECT_TRUE(watch_.state()->available) << "it has been missing for a short time only";
  now_ += absl::Seconds(0.1);
  watch_.On({Call().sequence, {lost, "", false}}, now_);
  EXPECT_FALSE(watch_.state()->available);
}

TEST_F(HookWatchTest, AnotherPlaceStartsOver) {
  watch_.Follow("web", kEndpoint, now_);
  const CallHook old = Call();
  HookEndpoint other = kEndpoint;
  other.target = std::string("hook:2");
  watch_.Follow("web", other, now_);
  EXPECT_FALSE(watch_.On({old.sequence, {HookState{true, "r1", ""}, "", false}}, now_));
  EXPECT_EQ(Call().call.endpoint, other);
}

TEST_F(HookWatchTest, AHostThatDoesNotAnswerIsAskedAgain) {
  watch_.Follow("web", kEndpoint, now_);
  Call();
  now_ = watch_.NextDeadline();
  Call();
}

TEST_F(HookWatchTest, PausesLongerAndLongerWhileTheProgramChangesToAndFro) {
  watch_.Follow("web", kEndpoint, now_);
  watch_.On({Call().sequence, {HookState{true, "r1", ""}, "", false}}, now_);
  EXPECT_EQ(watch_.NextDeadline(), now_);
  absl::Duration pause;
  for (const char* revision : {"r2", "r1", "r2", "r1"}) {
    const CallHook call = Call();
    watch_.On({call.sequence, {HookState{true, revision, ""}, "", false}}, now_);
    EXPECT_GT(watch_.NextDeadline() - now_, pause) << revision;
    pause = watch_.NextDeadline() - now_;
    now_ = watch_.NextDeadline();
  }
  EXPECT_GE(pause, absl::Seconds(4));
  now_ += absl::Minutes(3);
  watch_.On({Call().sequence, {HookState{true, "r2", ""}, "", false}}, now_);
  EXPECT_LE(watch_.NextDeadline() - now_, absl::Seconds(2)) << "of another rollout";
}

}  // namespace
}  // namespace xebec::watcher
