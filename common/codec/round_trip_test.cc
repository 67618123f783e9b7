// SPDX-License-Identifier: Apache-2.0
#include "common/codec/codec.h"
#include "common/codec/testing/random_model.h"
#include "gtest/gtest.h"

namespace xebec::codec {
namespace {

constexpr uint32_t kSeeds = 500;

/// What the wire does to a message.
template <typename Message>
Message OverTheWire(const Message& message) {
  Message received;
  EXPECT_TRUE(received.ParseFromString(message.SerializeAsString()));
  return received;
}

TEST(RoundTrip, ObservationsComeBackAsTheyWereInBothForms) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Observation observation = RandomModel(seed).MakeObservation();
    for (const ObjectForm form : {ObjectForm::kJson, ObjectForm::kObject}) {
      v1::Observation message;
      EncodeObservation(observation, form, &message);
      EXPECT_EQ(FormOf(message), form);
      const auto decoded = DecodeObservation(OverTheWire(message));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_TRUE(*decoded == observation) << "seed " << seed << "\n" << message.DebugString();
    }
  }
}

TEST(RoundTrip, PlansComeBackAsTheyWereInBothForms) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Plan plan = RandomModel(seed).MakePlan();
    for (const ObjectForm form : {ObjectForm::kJson, ObjectForm::kObject}) {
      v1::Plan message;
      EncodePlan(plan, form, &message);
      const auto decoded = DecodePlan(OverTheWire(message));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_TRUE(*decoded == plan) << "seed " << seed << "\n" << message.DebugString();
    }
  }
}

TEST(RoundTrip, ReportsComeBackAsTheyWere) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Report report = RandomModel(seed).MakeReport();
    v1::Report message;
    EncodeReport(report, &message);
    const auto decoded = DecodeReport(OverTheWire(message));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_TRUE(*decoded == report) << "seed " << seed << "\n" << message.DebugString();
  }
}

TEST(RoundTrip, DescriptionsComeBackAsTheyWere) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const PlannerDescription description = RandomModel(seed).MakeDescription();
    v1::DescribeKindsResponse message;
    EncodeDescription(description, &message);
    const auto decoded = DecodeDescription(OverTheWire(message));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_TRUE(*decoded == description) << "seed " << seed << "\n" << message.DebugString();
  }
}

TEST(RoundTrip, HookCallsAndRepliesComeBackAsTheyWere) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomModel random(seed);
    const HookCall call = random.MakeHookCall();
    v1::HookCall message;
    EncodeHookCall(call, &message);
    const auto decoded = DecodeHookCall(OverTheWire(message));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_TRUE(*decoded == call) << "seed " << seed << "\n" << message.DebugString();
    const HookReply reply = random.MakeHookReply();
    v1::CallStreamResponse answer;
    EncodeHookReply(reply, &answer);
    const auto decoded_reply = DecodeHookReply(OverTheWire(answer));
    ASSERT_TRUE(decoded_reply.ok()) << decoded_reply.status();
    EXPECT_TRUE(*decoded_reply == reply) << "seed " << seed << "\n" << answer.DebugString();
  }
}

TEST(RoundTrip, InvalidUtf8InTextReachesThePeerReplaced) {
  Report report;
  report.outcomes.emplace_back().operation = "apply x";
  report.outcomes[0].message = "refused: \xff";
  v1::Report message;
  EncodeReport(report, &message);
  EXPECT_EQ(DecodeReport(OverTheWire(message))->outcomes[0].message, "refused: \xEF\xBF\xBD");
}

}  // namespace
}  // namespace xebec::codec
