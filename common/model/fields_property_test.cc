// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "common/base/digest.h"
#include "common/model/fields.h"
#include "common/model/projection.h"
#include "common/model/well_known.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

/// Objects of the shapes that Kubernetes has: named lists, quantities, free maps, empty things.
class RandomObjects {
 public:
  explicit RandomObjects(uint32_t seed) : random_(seed) {}

  Json Object(int depth = 3) {
    Json object = Json::object();
    const size_t members = Below(5);
    for (size_t i = 0; i < members; ++i) object[Key()] = Value(depth - 1);
    return object;
  }
  /// Adds fields that `object` does not have: what the server and others do.
  void Grow(Json& object) {
    if (object.is_object()) {
      for (auto& member : object) Grow(member);
      object["zz-of-others"] = Object(1);
    } else if (object.is_array()) {
      for (auto& element : object) {
        if (element.is_object()) Grow(element);
      }
    }
  }
  /// Changes one scalar; false when there is none.
  bool Change(Json& value) {
    if (!value.is_structured()) return false;
    for (auto& member : value) {
      if (Change(member)) return true;
      if (!member.is_string() || member.get_ref<const std::string&>().empty()) continue;
      member = member.get<std::string>() + "9";
      return true;
    }
    return false;
  }
  size_t Below(size_t limit) { return random_() % limit; }

  Json Value(int depth) {
    if (depth > 0 && Below(2) == 0) return Below(2) == 0 ? Object(depth) : List(depth);
    switch (Below(8)) {
      case 0:
        return Json();
      case 1:
        return "";
      case 2:
        return Below(2) == 0;
      case 3:
        return static_cast<int64_t>(Below(3));
      case 4:
        return "1000m";
      case 5:
        return 0.5;
      case 6:
        return Json::object();
      default:
        return "text" + std::to_string(Below(4));
    }
  }

 private:
  std::string Key() {
    static constexpr const char* kKeys[] = {
        "spec",       "metadata", "labels",   "resources", "requests", "limits",
        "containers", "env",      "ports",    "args",      "data",     "emptyDir",
        "replicas",   "paused",   "template", "selector",  "cpu"};
    return kKeys[Below(std::size(kKeys))];
  }
  Json List(int depth) {
    Json list = Json::array();
    const size_t size = Below(4);
    const bool named = Below(2) == 0;
    for (size_t i = 0; i < size; ++i) {
      Json element = Value(depth - 1);
      if (named && element.is_object()) element["name"] = "n" + std::to_string(i);
      list.push_back(std::move(element));
    }
    return list;
  }
  std::mt19937 random_;
};

Json WithoutNulls(const Json& value) {
  if (!value.is_structured()) return value;
  Json result = value.is_object() ? Json::object() : Json::array();
  for (const auto& [key, member] : value.items()) {
    if (value.is_array()) {
      result.push_back(WithoutNulls(member));
    } else if (!member.is_null()) {
      result[key] = WithoutNulls(member);
    }
  }
  return result;
}

TEST(FieldsLaws, EveryObjectCoversItself) {
  RandomObjects random(1);
  for (int i = 0; i < 3000; ++i) {
    const Json object = random.Object();
    EXPECT_TRUE(Covers(object, object)) << object;
  }
}

TEST(FieldsLaws, EveryObjectCoversTheEmptyOne) {
  RandomObjects random(2);
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(Covers(random.Object(), Json::object()));
}

TEST(FieldsLaws, WhatOthersAddIsNeverDrift) {
  RandomObjects random(3);
  for (int i = 0; i < 3000; ++i) {
    const Json desired = random.Object();
    Json live = desired;
    random.Grow(live);
    EXPECT_TRUE(Covers(live, desired)) << desired << "\n" << live;
    EXPECT_EQ(FieldsDigest(live, desired), FieldsDigest(desired, desired));
  }
}

TEST(FieldsLaws, CoveringAndDigestsAgree) {
  RandomObjects random(4);
  int covered = 0;
  for (int i = 0; i < 6000; ++i) {
    const Json live = random.Object(), desired = random.Object();
    const bool covers = Covers(live, desired);
    covered += covers ? 1 : 0;
    EXPECT_EQ(covers, FieldsDigest(live, desired) == FieldsDigest(desired, desired))
        << live << desired;
  }
  EXPECT_GT(covered, 100);
}

TEST(FieldsLaws, CoveringIsEqualityOfProjections) {
  RandomObjects random(6);
  int covered = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Json desired = random.Value(3);
    Json live = random.Below(4) == 0 ? random.Value(3) : desired;
    if (random.Below(2) == 0) random.Grow(live);
    if (random.Below(2) == 0) random.Change(live);
    const bool alike = Project(live, desired) == Project(desired, desired);
    covered += alike ? 1 : 0;
    ASSERT_EQ(Covers(live, desired), alike) << live << desired;
  }
  EXPECT_GT(covered, 5000);
  EXPECT_LT(covered, 15'000);
}

/// The digest is stored at children: its text must never change.
TEST(FieldsLaws, DigestIsOfTheTextWithoutNullsAndDigest) {
  RandomObjects random(7);
  for (int i = 0; i < 3000; ++i) {
    Json object = random.Object();
    if (random.Below(2) == 0) object["metadata"] = {{"annotations", random.Object(1)}};
    const std::string without = DesiredDigest(object);
    EXPECT_EQ(without, "v1:" + ShortDigest(WithoutNulls(object).dump(), 16));
    Json& metadata = object["metadata"];
    if (!metadata.is_object() || !metadata.contains("annotations")) continue;
    if (!metadata["annotations"].is_object() || metadata["annotations"].empty()) continue;
    metadata["annotations"][std::string(kDigestAnnotation)] = "v1:0";
    const bool alone = WithoutNulls(object)["metadata"]["annotations"].size() == 1;
    if (alone) continue;
    EXPECT_EQ(DesiredDigest(object), without);
  }
}

TEST(FieldsLaws, AChangedTextIsAlwaysSeen) {
  RandomObjects random(5);
  int changed = 0;
  for (int i = 0; i < 3000; ++i) {
    const Json desired = random.Object();
    Json live = desired;
    if (!random.Change(live)) continue;
    ++changed;
    EXPECT_FALSE(Covers(live, desired)) << desired << "\n" << live;
  }
  EXPECT_GT(changed, 500);
}

}  // namespace
}  // namespace xebec
