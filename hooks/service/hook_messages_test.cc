// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/hook_messages.h"

#include "gtest/gtest.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::gateway {
namespace {

std::string StreamAnswerBytes(uint64_t call, const std::string& error) {
  hooks::v1::SyncStreamResponse response;
  response.set_call(call);
  response.mutable_response()->set_error(error);
  return response.SerializeAsString();
}

TEST(SplitStreamAnswer, ReturnsTheCallAndTheBytesOfTheResponse) {
  hooks::v1::SyncResponse response;
  response.set_error(std::string(1000, 'x'));
  const auto answer = SplitStreamAnswer(StreamAnswerBytes(1ull << 60, response.error()));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->call, 1ull << 60);
  EXPECT_EQ(answer->response, response.SerializeAsString());
}

TEST(SplitStreamAnswer, FieldsMayBeAbsentAndInAnyOrder) {
  const auto none = SplitStreamAnswer("");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->call, 0u);
  EXPECT_EQ(none->response, "");
  const auto turned = SplitStreamAnswer(StreamAnswerBytes(0, "x") + StreamAnswerBytes(7, ""));
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_EQ(turned->call, 7u);
}

TEST(SplitStreamAnswer, RefusesWhatIsCutOrUnknown) {
  const std::string whole = StreamAnswerBytes(300, "an error");
  for (const size_t size : {1u, 2u, 4u, 5u}) {
    EXPECT_FALSE(SplitStreamAnswer(whole.substr(0, size)).ok()) << size;
  }
  const std::string unknown_field("\x18\x01", 2), group("\x0b\x0c", 2), field_zero("\0", 1);
  const std::string negative_size("\x12\xff\xff\xff\xff\x0f", 6);
  for (const std::string& bytes : {unknown_field, group, field_zero, negative_size}) {
    EXPECT_FALSE(SplitStreamAnswer(whole + bytes).ok());
  }
}

TEST(ReadAnswer, LeavesAnAnswerBeyondTheLimitsToThePlanner) {
  hooks::v1::SyncResponse response;
  for (int i = 0; i < 501; ++i) response.mutable_desired()->add_children();
  response.set_error("not parsed");
  const CallResult result = ReadAnswer({}, response.SerializeAsString());
  ASSERT_TRUE(std::holds_alternative<Answer>(result));
  EXPECT_EQ(std::get<Answer>(result).response, response.SerializeAsString());
  EXPECT_FALSE(std::get<Answer>(result).error);
}

TEST(ReadAnswerJson, RefusesAnAnswerOfTooManyValues) {
  std::string json = R"({"error": "x", "desired": {"children": [{})";
  for (int i = 0; i < 400'000; ++i) json += ",{}";
  const CallResult result = ReadAnswerJson({}, json + "]}}");
  ASSERT_TRUE(std::holds_alternative<HookFailure>(result));
  EXPECT_NE(std::get<HookFailure>(result).message.find("more than 400000 values"),
            std::string::npos);
}

}  // namespace
}  // namespace xebec::gateway
