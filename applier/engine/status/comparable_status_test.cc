// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/status/comparable_status.h"

#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

bool Comparable(const std::string& status) {
  return ComparableStatus(MakeObjectBytes(status)).has_value();
}

TEST(ComparableStatus, IsTheStatus) {
  const std::string text = R"({"conditions":[{"message":"a \"b\"","type":"Ready"}],"replicas":3})";
  EXPECT_EQ(DumpJson(*ComparableStatus(MakeObjectBytes(text))), text);
  EXPECT_TRUE(Comparable(R"({"a":{"b":[true,-1]}})"));
}

TEST(ComparableStatus, ValuesWithSeveralNotationsAreNotCompared) {
  EXPECT_FALSE(Comparable(R"({"a":1.5})"));
  EXPECT_FALSE(Comparable(R"({"a":"1 < 2"})"));
  EXPECT_FALSE(Comparable(R"({"a":[{"b":"x & y"}]})"));
  EXPECT_FALSE(Comparable(R"({"a":"\n"})"));
  EXPECT_FALSE(Comparable(R"({"a":"\u00e9"})"));
  EXPECT_FALSE(Comparable(R"({"a>":1})"));
  EXPECT_FALSE(Comparable(R"({"a":null})"));
}

TEST(ComparableStatus, OnlyObjectsAreCompared) {
  EXPECT_FALSE(ComparableStatus(nullptr).has_value());
  EXPECT_FALSE(Comparable("[]"));
  EXPECT_FALSE(Comparable("{"));
}

}  // namespace
}  // namespace xebec::applier
