// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/spec_reader.h"

#include <gtest/gtest.h>

namespace xebec::planner {
namespace {

Json WithSpec(std::string_view spec) { return {{"spec", *ParseJson(spec)}}; }

TEST(SpecReader, AbsentAndNullFieldsGiveDefaults) {
  const Json parent = WithSpec(R"({"replicas": null})");
  SpecReader spec(parent);
  EXPECT_EQ(spec.Int("replicas", 1, 0, 10), 1);
  EXPECT_EQ(spec.String("image", "busybox"), "busybox");
  EXPECT_TRUE(spec.Bool("skip", true));
  EXPECT_EQ(spec.Env(), Json::array());
  EXPECT_EQ(spec.Object("resources"), Json::object());
  EXPECT_TRUE(spec.Strings("command").empty());
  EXPECT_FALSE(spec.error().has_value());
}

TEST(SpecReader, SpecThatIsAbsentCountsAsEmpty) {
  const Json parent = Json::object();
  SpecReader spec(parent);
  EXPECT_EQ(spec.Int("replicas", 1, 0, 10), 1);
  EXPECT_FALSE(spec.error().has_value());
}

TEST(SpecReader, SpecOfAnotherTypeIsAnError) {
  const Json parent = WithSpec("[1]");
  SpecReader spec(parent);
  EXPECT_EQ(spec.Int("replicas", 1, 0, 10), 1);
  EXPECT_EQ(spec.error(), "spec must be an object, not [1]");
}

TEST(SpecReader, NumbersAreNeverConvertedSilently) {
  for (const char* bad :
       {"4294967299", "3.9", "true", "\"3\"", "-1", "18446744073709551615", "[]"}) {
    const Json parent = WithSpec(std::string(R"({"replicas": )") + bad + "}");
    SpecReader spec(parent);
    EXPECT_EQ(spec.Int("replicas", 1, 0, 100), 1) << bad;
    ASSERT_TRUE(spec.error().has_value()) << bad;
    EXPECT_EQ(*spec.error(),
              std::string("spec.replicas must be an integer from 0 to 100, not ") + bad);
  }
}

TEST(SpecReader, TheFirstErrorStays) {
  const Json parent = WithSpec(R"({"image": 1, "replicas": "x"})");
  SpecReader spec(parent);
  spec.String("image", "");
  spec.Int("replicas", 1, 0, 1);
  EXPECT_EQ(spec.error(), "spec.image must be a string, not 1");
}

TEST(SpecReader, LongStringsAreRefused) {
  const Json parent = WithSpec(R"({"name": "abcdef"})");
  SpecReader spec(parent);
  EXPECT_EQ(spec.String("name", "d", 5), "d");
  EXPECT_EQ(spec.error(), "spec.name must be at most 5 characters long, not 6");
}

TEST(SpecReader, CharactersAreCountedAsInACrd) {
  const Json parent = WithSpec("{\"name\": \"\u00e9\u00e9\u4e16\u4e16\U0001F600\"}");
  SpecReader spec(parent);
  EXPECT_EQ(spec.String("name", "d", 5), "\u00e9\u00e9\u4e16\u4e16\U0001F600");
  EXPECT_EQ(spec.error(), std::nullopt);
}

TEST(SpecReader, EnvDropsWhatTheServerDropsAndRefusesRepeatedNames) {
  const Json good =
      WithSpec(R"({"env": [{"name": "A", "value": ""}, {"name": "B", "value": "1"}]})");
  SpecReader spec(good);
  EXPECT_EQ(DumpJson(spec.Env()), R"([{"name":"A"},{"name":"B","value":"1"}])");
  EXPECT_FALSE(spec.error().has_value());
  const Json twice = WithSpec(R"({"env": [{"name": "A"}, {"name": "A"}]})");
  SpecReader repeated(twice);
  repeated.Env();
  EXPECT_EQ(repeated.error(), "spec.env names \"A\" twice");
  const Json nameless = WithSpec(R"({"env": ["A"]})");
  SpecReader unnamed(nameless);
  unnamed.Env();
  EXPECT_EQ(unnamed.error(), "spec.env has an entry without a name: \"A\"");
}

// The API server takes such an image in a template and refuses it in every Pod.
TEST(SpecReader, ImagesWithBlanksAroundThemAreRefused) {
  for (const char* bad : {" a", "a ", "\\ta\\n", " "}) {
    const Json parent = WithSpec(std::string(R"({"image": ")") + bad + R"("})");
    SpecReader spec(parent);
    EXPECT_EQ(spec.Image("image", "busybox"), "busybox") << bad;
    ASSERT_TRUE(spec.error().has_value()) << bad;
    EXPECT_EQ(spec.error()->find("spec.image must not begin or end with a blank"), 0u);
  }
  const Json parent = WithSpec(R"({"image": "a/b:c"})");
  SpecReader spec(parent);
  EXPECT_EQ(spec.Image("image", "busybox"), "a/b:c");
  EXPECT_EQ(spec.Image("other", "busybox"), "busybox");
  EXPECT_FALSE(spec.error().has_value());
}

TEST(SpecReader, EnvRefusesNamesThatNoVariableCanHave) {
  for (const char* bad : {"a=b", "a\\u0007", "\\u00e4"}) {
    const Json parent = WithSpec(std::string(R"({"env": [{"name": ")") + bad + R"("}]})");
    SpecReader spec(parent);
    spec.Env();
    ASSERT_TRUE(spec.error().has_value()) << bad;
    EXPECT_EQ(spec.error()->find("spec.env has the name \""), 0u) << *spec.error();
  }
  const Json parent = WithSpec(R"({"env": [{"name": "my.own-NAME 1"}]})");
  SpecReader spec(parent);
  EXPECT_EQ(spec.Env().size(), 1u);
  EXPECT_FALSE(spec.error().has_value());
}

TEST(SpecReader, ObjectsPassWithoutEmptyMembers) {
  const Json parent = WithSpec(R"({"resources": {"limits": {}, "requests": {"cpu": "1"}}})");
  SpecReader spec(parent);
  EXPECT_EQ(DumpJson(spec.Object("resources")), R"({"requests":{"cpu":"1"}})");
}

}  // namespace
}  // namespace xebec::planner
