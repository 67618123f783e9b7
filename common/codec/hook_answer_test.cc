// SPDX-License-Identifier: Apache-2.0
#include "common/codec/hook_answer.h"

#include <string>

#include "gtest/gtest.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::codec {
namespace {

namespace wire = ::xebec::hooks::v1;

std::string Repeat(int times, const std::string& bytes) {
  std::string all;
  for (int i = 0; i < times; ++i) all += bytes;
  return all;
}

/// A length-delimited field.
std::string Field(int number, const std::string& value) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (size_t rest = value.size(); rest != 0 || bytes.size() == 1;) {
    bytes += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>= 7;
  }
  return bytes + value;
}

std::string Desired(const std::string& fields) { return Field(1, fields); }

void ExpectTooMany(const std::string& bytes, const std::string& message) {
  const absl::Status status = CheckHookAnswer(bytes);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << message;
  EXPECT_EQ(status.message(), message);
}

wire::SyncResponse LargestAnswer() {
  wire::SyncResponse answer;
  wire::DesiredState* desired = answer.mutable_desired();
  wire::DesiredChild child;
  wire::Deletion deletion;
  for (int i = 0; i < 50; ++i) {
    child.add_on_created()->set_reason("Made");
    child.add_on_changed();
    deletion.add_on_deleted();
    desired->add_conditions()->set_type("Ready");
    desired->add_events()->set_note("a note");
  }
  for (int i = 0; i < 500; ++i) *desired->add_children() = child;
  for (int i = 0; i < 500; ++i) *desired->add_deletions() = deletion;
  desired->mutable_resync_after()->set_seconds(3);
  return answer;
}

TEST(CheckHookAnswer, TakesTheLargestAnswer) {
  EXPECT_TRUE(CheckHookAnswer("").ok());
  const absl::Status status = CheckHookAnswer(LargestAnswer().SerializeAsString());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CheckHookAnswer, RefusesTooManyEntriesOfEachList) {
  ExpectTooMany(Desired(Repeat(501, Field(1, ""))),
                "desired.children has 501 entries; the limit is 500");
  ExpectTooMany(Desired(Repeat(2'000'000, Field(2, ""))),
                "desired.deletions has 2000000 entries; the limit is 500");
  ExpectTooMany(Desired(Repeat(51, Field(4, ""))),
                "desired.conditions has 51 entries; the limit is 50");
  ExpectTooMany(Desired(Repeat(51, Field(5, ""))),
                "desired.events has 51 entries; the limit is 50");
  ExpectTooMany(Desired(Field(1, "") + Field(1, Repeat(51, Field(6, "")))),
                "desired.children[1]: on_changed has 51 entries; the limit is 50");
  ExpectTooMany(Desired(Field(2, Repeat(51, Field(8, "")))),
                "desired.deletions[0]: on_deleted has 51 entries; the limit is 50");
}

TEST(CheckHookAnswer, CountsTheEntriesOfAStateInSeveralParts) {
  const std::string part = Desired(Repeat(300, Field(1, "")));
  EXPECT_TRUE(CheckHookAnswer(part).ok());
  ExpectTooMany(part + part, "desired.children has 600 entries; the limit is 500");
}

TEST(CheckHookAnswer, RefusesManyUnknownFields) {
  const std::string field("\x98\x06\x01", 3);  // field 99
  EXPECT_TRUE(CheckHookAnswer(Repeat(100, field)).ok()) << "the decoder says which one";
  const std::string wrong_type("\x08\x01", 2);  // desired as a number
  for (const std::string& unknown : {field, wrong_type, Field(15, "")}) {
    EXPECT_TRUE(absl::IsResourceExhausted(CheckHookAnswer(Repeat(101, unknown))));
    EXPECT_TRUE(absl::IsResourceExhausted(
        CheckHookAnswer(Desired(Repeat(60, Field(1, Field(15, ""))) + Repeat(41, Field(15, ""))))));
  }
}

TEST(CheckHookAnswer, RefusesWhatIsCutAndGroups) {
  const std::string whole = Desired(Field(1, Field(1, "text")));
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckHookAnswer(whole.substr(0, size)))) << size;
  }
  for (const std::string& bytes : {Desired(std::string("\x0a\x05", 2)), std::string("\x7b\x7c"),
                                   std::string("\0", 1), std::string("\x0c")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckHookAnswer(bytes)));
  }
}

TEST(CheckHookJson, CountsTheValuesOutsideOfTexts) {
  const std::string quoted = R"(["\"[{,", "\\", ")" + std::string(500'000, ',') + R"("])";
  EXPECT_TRUE(CheckHookJson(quoted).ok());
  EXPECT_TRUE(CheckHookJson("[" + Repeat(199'999, "{},") + "{}]").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(CheckHookJson("[" + Repeat(400'000, "{},") + "{}]")));
}

}  // namespace
}  // namespace xebec::codec
