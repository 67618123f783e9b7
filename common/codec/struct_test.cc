// SPDX-License-Identifier: Apache-2.0
#include "common/base/json.h"
#include "common/codec/parts.h"
#include "gtest/gtest.h"

namespace xebec::codec {
namespace {

std::string Decoded(double number) {
  google::protobuf::Struct in;
  (*in.mutable_fields())["n"].set_number_value(number);
  Json out;
  EXPECT_TRUE(DecodeStruct(in, &out).ok());
  return DumpJson(out);
}

TEST(Struct, WholeNumbersUpTo2To53BecomeIntegers) {
  EXPECT_EQ(Decoded(3), R"({"n":3})");
  EXPECT_EQ(Decoded(-0.0), R"({"n":0})");
  EXPECT_EQ(Decoded(-7), R"({"n":-7})");
  EXPECT_EQ(Decoded(9007199254740992.0), R"({"n":9007199254740992})");
  EXPECT_EQ(Decoded(0.5), R"({"n":0.5})");
  EXPECT_EQ(Decoded(1e300), R"({"n":1e+300})");
}

TEST(Struct, TooDeepIsRefusedNotCrashed) {
  google::protobuf::Struct in;
  google::protobuf::Struct* at = &in;
  for (int i = 0; i < 5000; ++i) at = (*at->mutable_fields())["a"].mutable_struct_value();
  Json out;
  const absl::Status status = DecodeStruct(in, &out);
  EXPECT_TRUE(std::string(status.message()).ends_with("nested deeper than 64 levels")) << status;
}

TEST(EncodeObject, BytesThatAreNoObjectAreShownAsTheyAre) {
  v1::Object out;
  EncodeObject(MakeObjectBytes("not json"), ObjectForm::kObject, &out);
  EXPECT_EQ(out.json(), "not json");
}

TEST(EncodeObject, NothingGivesNothing) {
  v1::Object out;
  EncodeObject(nullptr, ObjectForm::kJson, &out);
  EXPECT_EQ(out.body_case(), v1::Object::BODY_NOT_SET);
}

TEST(Time, InfiniteTimesAreNotWritable) {
  EXPECT_FALSE(IsWritable(absl::InfiniteFuture()));
  EXPECT_FALSE(IsWritable(absl::InfinitePast()));
  EXPECT_TRUE(IsWritable(absl::UnixEpoch()));
}

TEST(Time, DurationsAreKeptWithinWhatTheWireHolds) {
  google::protobuf::Duration out;
  EncodeDuration(absl::InfiniteDuration(), &out);
  EXPECT_EQ(out.seconds(), 315'576'000'000);
  EncodeDuration(-absl::Seconds(1), &out);
  EXPECT_EQ(out.seconds(), 0);
}

}  // namespace
}  // namespace xebec::codec
