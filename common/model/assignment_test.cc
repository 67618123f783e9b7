// SPDX-License-Identifier: Apache-2.0
#include "common/model/assignment.h"

#include <gtest/gtest.h>

#include <string>

namespace xebec {
namespace {

Assignment Example() { return {{{"a", 3, true}, {"b", 4, false}, {"", 5, true}, {"a", 0, true}}}; }

Assignment Stated() {
  return {{{"a", 3, true, true}, {"b", 4, true}}, {{"pods", "7"}, {"widgets.example.com", "9"}}};
}

TEST(Assignment, SurvivesARoundTrip) {
  const auto decoded = DecodeAssignment(EncodeAssignment(Example()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, Example());
  EXPECT_EQ(decoded->Of("a").ToText(), "0,3");
  EXPECT_EQ(decoded->HighestEpoch(), 5u);
}

TEST(Assignment, SurvivesARoundTripWithAStatement) {
  const auto decoded = DecodeAssignment(EncodeAssignment(Stated()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, Stated());
}

TEST(Assignment, IsReadableForUsers) {
  EXPECT_EQ(EncodeAssignment(Stated()),
            R"({"buckets":2,"epochs":[3,4],"inDoubt":"","seen":{"pods":"7",)"
            R"("widgets.example.com":"9"},"stated":"0","watchers":{"a":"0","b":"1"}})");
  EXPECT_EQ(EncodeAssignment(Example()),
            R"({"buckets":4,"epochs":[3,4,5,0],"inDoubt":"1","watchers":{"a":"0,3","b":"1"}})");
}

TEST(DecodeAssignment, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* what;
  } cases[] = {
      {"", "assignment: "},
      {"[]", "buckets is not"},
      {R"({"buckets":0})", "buckets is not a number from 1 to 1024"},
      {R"({"buckets":10000})", "buckets is not a number from 1 to 1024"},
      {R"({"buckets":2})", "watchers is not"},
      {R"({"buckets":2,"watchers":{"a":"2"}})", "the buckets of 'a'"},
      {R"({"buckets":2,"watchers":{"a":1}})", "the buckets of 'a'"},
      {R"({"buckets":2,"watchers":{"":"1"}})", "the buckets of ''"},
      {R"({"buckets":2,"watchers":{"a":"0-1","b":"1"}})", "bucket 1 has two holders"},
      {R"({"buckets":2,"watchers":{}})", "epochs does not have"},
      {R"({"buckets":2,"watchers":{},"epochs":[1]})", "epochs does not have"},
      {R"({"buckets":2,"watchers":{},"epochs":[1,-1]})", "the epoch of bucket 1"},
      {R"({"buckets":2,"watchers":{},"epochs":[1,4294967296]})", "the epoch of bucket 1"},
      {R"({"buckets":2,"watchers":{},"epochs":[1,2147483647]})", "the epoch of bucket 1"},
      {R"({"buckets":2,"watchers":{},"epochs":[1,1],"inDoubt":"9"})", "inDoubt is not"},
  };
  for (const auto& each : cases) {
    const auto decoded = DecodeAssignment(each.text);
    ASSERT_FALSE(decoded.ok()) << each.text;
    EXPECT_NE(std::string(decoded.status().message()).find(each.what), std::string::npos)
        << decoded.status();
  }
}

TEST(DecodeAssignment, IgnoresAMalformedStatement) {
  for (const char* text :
       {R"("stated":"9","seen":{"pods":"7"})", R"("stated":"0","seen":[])", R"("stated":"0")"}) {
    const auto decoded =
        DecodeAssignment(std::string(R"({"buckets":2,"watchers":{},"epochs":[1,1],)") + text + "}");
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_FALSE(decoded->buckets[0].stated) << text;
  }
  const auto decoded = DecodeAssignment(
      R"({"buckets":1,"watchers":{},"epochs":[1],"stated":"0","seen":{"pods":1,"jobs":"7"}})");
  EXPECT_EQ(decoded->seen, (SeenVersions{{"jobs", "7"}}));
}

}  // namespace
}  // namespace xebec
