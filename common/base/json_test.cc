// SPDX-License-Identifier: Apache-2.0
#include "common/base/json.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

using ::testing::HasSubstr;

std::string Error(std::string_view text, const JsonLimits& limits = {}) {
  const auto parsed = ParseJson(text, limits);
  return parsed.ok() ? "parsed: " + DumpJson(*parsed) : std::string(parsed.status().message());
}

std::string Nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(ParseJson, EveryTypeComesBackAsItWas) {
  const std::string text =
      R"({"a":[1,-2,18446744073709551615,-9223372036854775808,0.5,true,false,null],"b":{"c":"é\n"},"d":{},"e":[]})";
  const auto parsed = ParseJson(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(DumpJson(*parsed), text);
}

TEST(ParseJson, MembersAreOrderedByName) {
  EXPECT_EQ(DumpJson(*ParseJson(R"({"b":1,"a":2})")), R"({"a":2,"b":1})");
}

TEST(ParseJson, MalformedTextIsRefusedWithItsPosition) {
  EXPECT_THAT(Error("{\"a\": 1,\n \"b\": }"), HasSubstr("line 2, column 7"));
  EXPECT_THAT(Error(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(Error("{\"a\":1} x"), HasSubstr("line 1, column 9"));
  EXPECT_THAT(Error("[1,"), HasSubstr("line 1"));
  EXPECT_THAT(Error("nul"), HasSubstr("JSON: "));
}

TEST(ParseJson, DuplicateKeysAreRefusedByName) {
  EXPECT_EQ(Error(R"({"a":{"image":1,"b":2,"image":3}})"),
            "JSON: duplicate key \"image\" at line 1, column 29");
  EXPECT_THAT(Error(R"({"a":1,"\u0061":2})"), HasSubstr("duplicate key \"a\""));
}

TEST(ParseJson, IntegersBeyond64BitsAreRefused) {
  EXPECT_THAT(Error("[18446744073709551616]"), HasSubstr("18446744073709551616 beyond 64 bits"));
  EXPECT_THAT(Error("[-9223372036854775809]"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(Error("[1e400]"), HasSubstr("number 1e400 out of range"));
}

TEST(ParseJson, InvalidUtf8AndLoneSurrogatesAreRefused) {
  EXPECT_THAT(Error("{\"a\":\"\xff\"}"), HasSubstr("line 1, column 7"));
  EXPECT_THAT(Error(R"(["\ud800"])"), HasSubstr("JSON: "));
  EXPECT_THAT(Error(R"(["\udc00"])"), HasSubstr("JSON: "));
}

TEST(ParseJson, NulInStringsIsKept) {
  const auto parsed = ParseJson(R"(["a\u0000b"])");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ((*parsed)[0].get<std::string>(), std::string("a\0b", 3));
}

TEST(ParseJson, DepthIsLimitedExactly) {
  EXPECT_TRUE(ParseJson(Nested(64)).ok());
  const auto parsed = ParseJson(Nested(65));
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(parsed.status().message(), "JSON is nested deeper than 64 levels");
  EXPECT_EQ(ParseJson(Nested(1000000)).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(ParseJson(Nested(100'000), {.max_bytes = 1 << 20, .max_depth = 1 << 20}).ok());
}

TEST(ParseJson, SizeIsLimited) {
  const auto parsed = ParseJson("[1, 2]", {.max_bytes = 5});
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(parsed.status().message(), "JSON of 6 bytes is larger than the limit of 5");
}

TEST(CheckJsonObject, TakesObjectsOnly) {
  EXPECT_TRUE(CheckJsonObject(R"({"a":1})").ok());
  EXPECT_EQ(CheckJsonObject("[]").message(), "JSON: expected an object");
  EXPECT_THAT(std::string(CheckJsonObject("{").message()), HasSubstr("line 1"));
}

TEST(DumpJson, InvalidUtf8IsReplaced) { EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xEF\xBF\xBD\""); }

TEST(Find, LooksUpPathsAndTolaratesEverything) {
  const Json json = {{"metadata", {{"name", "web"}, {"generation", 3}}}, {"list", {1}}};
  EXPECT_EQ(FindString(json, {"metadata", "name"}), "web");
  EXPECT_EQ(FindString(json, {"metadata", "generation"}), "");
  EXPECT_EQ(Find(json, {"metadata", "name", "x"}), nullptr);
  EXPECT_EQ(Find(json, {"list", "0"}), nullptr);
  EXPECT_EQ(Find(json, {}), &json);
}

TEST(FindInt, WholeNumbersOnly) {
  const Json json =
      *ParseJson(R"({"a":3,"b":3.0,"c":3.5,"d":true,"e":"3","f":18446744073709551615,"g":1e30})");
  EXPECT_EQ(FindInt(json, {"a"}), 3);
  EXPECT_EQ(FindInt(json, {"b"}), 3);
  for (const char* key : {"c", "d", "e", "f", "g", "h"})
    EXPECT_EQ(FindInt(json, {key}), std::nullopt) << key;
}

TEST(FindBool, BooleansOnly) {
  const Json json = {{"a", true}, {"b", 1}};
  EXPECT_EQ(FindBool(json, {"a"}), true);
  EXPECT_EQ(FindBool(json, {"b"}), std::nullopt);
}

}  // namespace
}  // namespace xebec
