// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_table.h"

#include "common/model/names.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

TEST(KeyTable, FindsByNameUidAndLabel) {
  KeyTable keys;
  const std::string long_name(200, 'x');
  const KeyId a = keys.Add(0, {"default", "a"}, "ua");
  const KeyId b = keys.Add(0, {"default", long_name}, "ub");
  EXPECT_EQ(*keys.FindUid(0, "ua"), a);
  EXPECT_EQ(*keys.FindLabel(0, "default", "a"), a);
  EXPECT_EQ(*keys.FindLabel(0, "default", LabelValue(long_name)), b);
  EXPECT_EQ(keys.FindLabel(0, "default", "zz"), std::nullopt);
  EXPECT_EQ(keys.Find(1, {"default", "a"}), std::nullopt);
}

TEST(KeyTable, ANewIncarnationForgetsTheOldOne) {
  KeyTable keys;
  const KeyId key = keys.Add(0, {"default", "a"}, "u1");
  keys.at(key).again = 3;
  EXPECT_EQ(keys.Add(0, {"default", "a"}, "u2"), key);
  EXPECT_EQ(keys.at(key).again, 0u);
  EXPECT_EQ(keys.FindUid(0, "u1"), std::nullopt);
}

TEST(KeyTable, NamespacesAreSearchedAlone) {
  KeyTable keys;
  keys.Add(0, {"a", "x"}, "1");
  keys.Add(0, {"b", "x"}, "2");
  keys.Add(1, {"a", "x"}, "3");
  const ObjectKey none;
  EXPECT_EQ(keys.Page(0, "a", none, 9).size(), 1u);
  EXPECT_EQ(keys.Page(0, "", none, 9).size(), 2u);
  keys.Remove(*keys.FindUid(0, "1"));
  EXPECT_TRUE(keys.Page(0, "a", none, 9).empty());
  EXPECT_EQ(keys.size(), 2u);
}

TEST(KeyTable, ANameThatIsTheLabelOfALongerOneDoesNotTakeItAway) {
  KeyTable table;
  const std::string long_name(100, 'n');
  const std::string label = LabelValue(long_name);
  const KeyId key = table.Add(0, {"ns", long_name}, "u1");
  table.Remove(table.Add(0, {"ns", label}, "u2"));
  ASSERT_TRUE(table.FindLabel(0, "ns", label));
  EXPECT_EQ(*table.FindLabel(0, "ns", label), key);
}

}  // namespace
}  // namespace xebec::watcher
