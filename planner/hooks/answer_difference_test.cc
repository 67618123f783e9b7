// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

std::string AnswerWith(const std::string& object, const std::string& status = "") {
  wire::SyncResponse response;
  response.mutable_desired()->add_children()->set_object(object);
  response.mutable_desired()->set_status(status);
  return response.SerializeAsString();
}

TEST(AnswerDifference, NamesTheFirstFieldThatDiffers) {
  EXPECT_EQ(
      DifferenceOf(AnswerWith(R"({"spec":{"a":[1,2]}})"), AnswerWith(R"({"spec":{"a":[1,3]}})")),
      "desired.children[0].object.spec.a[1] is 2, then 3");
  EXPECT_EQ(DifferenceOf(AnswerWith("{}", R"({"n":1})"), AnswerWith("{}", R"({})")),
            "desired.status.n is 1, then absent");
  EXPECT_EQ(DifferenceOf(AnswerWith("no JSON"), AnswerWith("{}")),
            R"(desired.children[0].object is "no JSON", then {})");
}

TEST(AnswerDifference, TheOrderOfMembersHasNoMeaning) {
  EXPECT_EQ(DifferenceOf(AnswerWith(R"({"a":1,"b":2})"), AnswerWith(R"({"b":2,"a":1})")), "");
}

}  // namespace
}  // namespace xebec::planner::hooks
