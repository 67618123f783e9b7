// SPDX-License-Identifier: Apache-2.0
#include "common/kube/api_status.h"

#include <gtest/gtest.h>

namespace xebec::kube {
namespace {

TEST(ParseApiStatus, ReadsReasonDetailsAndCauses) {
  const ApiStatus status = ParseApiStatus(
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"bad","reason":"Invalid","code":422,)"
      R"("details":{"name":"web","kind":"Deployment","uid":"u","causes":[)"
      R"({"reason":"FieldValueInvalid","message":"must be positive","field":"spec.replicas"},{}]}})");
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.message, "bad");
  EXPECT_EQ(status.details_name, "web");
  EXPECT_EQ(status.details_kind, "Deployment");
  EXPECT_EQ(status.details_uid, "u");
  ASSERT_EQ(status.causes.size(), 2u);
  EXPECT_EQ(status.causes[0].type, "FieldValueInvalid");
  EXPECT_EQ(status.causes[0].field, "spec.replicas");
  EXPECT_EQ(status.causes[0].message, "must be positive");
}

TEST(ParseApiStatus, GivesTheBeginningOfWhatIsNoStatus) {
  EXPECT_EQ(ParseApiStatus("404 page not found\n").message, "404 page not found\n");
  EXPECT_EQ(ParseApiStatus("").message, "");
  EXPECT_EQ(ParseApiStatus(R"({"kind":"Pod"})").message, R"({"kind":"Pod"})");
  EXPECT_LE(ParseApiStatus(std::string(100000, '<')).message.size(), 1100u);
}

TEST(ParseApiStatus, SurvivesWrongTypes) {
  const ApiStatus status = ParseApiStatus(
      R"({"kind":"Status","code":"x","reason":7,"message":null,"details":{"causes":[1,null,"a"]}})");
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(status.reason, "");
  EXPECT_EQ(status.causes.size(), 3u);
}

}  // namespace
}  // namespace xebec::kube
