// SPDX-License-Identifier: Apache-2.0
#include "common/model/names.h"

#include <set>

#include "gtest/gtest.h"

namespace xebec {
namespace {

TEST(BoundedName, ShortNamesStay) {
  EXPECT_EQ(BoundedName("web", 63), "web");
  EXPECT_EQ(BoundedName(std::string(63, 'a'), 63), std::string(63, 'a'));
}

TEST(BoundedName, LongNamesAreCutAndHashed) {
  const std::string name = BoundedName(std::string(64, 'a'), 63);
  EXPECT_EQ(name.size(), 63u);
  EXPECT_EQ(name.substr(0, 55), std::string(54, 'a') + "-");
  EXPECT_NE(name, BoundedName(std::string(65, 'a'), 63));
}

TEST(BoundedName, StaysAValidNameWhereverItIsCut) {
  for (size_t length = 1; length < 80; ++length) {
    const std::string dots = std::string(length, 'a') + ".b-" + std::string(60, 'c');
    EXPECT_TRUE(IsDns1123Subdomain(BoundedName(dots, 63))) << BoundedName(dots, 63);
  }
}

TEST(BoundedName, SuffixIsKeptWhole) {
  EXPECT_EQ(BoundedName("web", "-pod-0", 63), "web-pod-0");
  const std::string base(253, 'a');
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) {
    const std::string suffix = "-pod-" + std::to_string(i);
    const std::string name = BoundedName(base, suffix, 253);
    EXPECT_LE(name.size(), 253u);
    EXPECT_TRUE(name.ends_with(suffix));
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 50u);
  EXPECT_NE(BoundedName(base + "x", "-pod-0", 253), BoundedName(base + "y", "-pod-0", 253));
}

TEST(BoundedName, TinyLimitsGiveTheDigestAlone) {
  EXPECT_EQ(BoundedName("deployment", 4).size(), 4u);
  EXPECT_EQ(BoundedName("deployment", 0), "");
}

TEST(LabelValue, ValidValuesStay) {
  EXPECT_EQ(LabelValue("My_App.v1"), "My_App.v1");
  EXPECT_EQ(LabelValue(""), "");
}

TEST(LabelValue, LongAndForbiddenOnesAreHashed) {
  EXPECT_EQ(LabelValue(std::string(64, 'a')).size(), 63u);
  EXPECT_TRUE(LabelValue("a/b").starts_with("a-b-"));
  EXPECT_NE(LabelValue("a/b"), LabelValue("a:b"));
  EXPECT_TRUE(IsDns1123Label(LabelValue("---"))) << LabelValue("---");
  EXPECT_TRUE(LabelValue(".web").starts_with("web-"));
}

TEST(Dns1123, SubdomainsHaveDotsAndLabelsDoNot) {
  EXPECT_TRUE(IsDns1123Subdomain("a.b-c.9"));
  EXPECT_TRUE(IsDns1123Subdomain(std::string(253, 'a')));
  for (const char* name : {"", ".", "a..b", "-a", "a-", "A", "a_b", "a.", ".a", "a.-b", "ä"}) {
    EXPECT_FALSE(IsDns1123Subdomain(name)) << name;
  }
  EXPECT_FALSE(IsDns1123Subdomain(std::string(254, 'a')));
  EXPECT_TRUE(IsDns1123Label("a-b"));
  EXPECT_FALSE(IsDns1123Label("a.b"));
  EXPECT_FALSE(IsDns1123Label(std::string(64, 'a')));
}

}  // namespace
}  // namespace xebec
