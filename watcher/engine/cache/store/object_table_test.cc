// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/object_table.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

StoredObject Stored(const std::string& version) {
  return ToStored(testing::MakeObject("a", "ua", version));
}

TEST(ObjectTable, FindsByNamespaceAndName) {
  ObjectTable table;
  const Slot one = table.Add({"x", "a"}, Stored("1"));
  const Slot other = table.Add({"y", "a"}, Stored("2"));
  EXPECT_EQ(table.Find({"x", "a"}), one);
  EXPECT_EQ(table.Find({"y", "a"}), other);
  EXPECT_EQ(table.Find({"y", "b"}), std::nullopt);
  EXPECT_EQ(table.KeyOf(other), (ObjectKey{"y", "a"}));
  table.Remove(one);
  EXPECT_EQ(table.Find({"x", "a"}), std::nullopt);
  EXPECT_EQ(table.Add({"z", "a"}, Stored("3")), one);
  EXPECT_EQ(table.NamespaceOf(one), "z");
  EXPECT_EQ(table.NamespaceOf(other), "y");
}

TEST(ObjectTable, EqualityIsOfContentWhateverTheSlots) {
  ObjectTable one;
  ObjectTable other;
  one.Add({"x", "a"}, Stored("1"));
  one.Add({"x", "b"}, Stored("2"));
  other.Add({"x", "b"}, Stored("2"));
  EXPECT_FALSE(one == other);
  other.Add({"x", "a"}, Stored("1"));
  EXPECT_EQ(one, other);
  other.Set({"x", "a"}, Stored("3"));
  EXPECT_FALSE(one == other);
  other.Erase({"x", "a"});
  EXPECT_EQ(other.size(), 1u);
}

}  // namespace
}  // namespace xebec::watcher
