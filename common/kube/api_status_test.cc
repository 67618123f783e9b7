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
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.message, "bad");
  EXPECT_EQ(status.details_name, "web");
  EXPECT_EQ(status.details_kind, "Deployment");
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
  EXPECT_EQ(status.reason, "");
  EXPECT_EQ(status.causes.size(), 3u);
}

TEST(WhyUnusable, TellsAnApiServerFromWhateverElseAnswers) {
  const auto answer = [](int status, const std::string& body) {
    ApiResponse response;
    response.status = status;
    response.body = body;
    return WhyUnusable(response);
  };
  EXPECT_EQ(answer(200, R"({"kind":"Lease"})"), "");
  EXPECT_EQ(answer(404, R"({"kind":"Status","code":404})"), "");
  EXPECT_EQ(answer(403, R"({"kind":"Status","code":403})"), "") << "it knows who we are";
  EXPECT_EQ(answer(401, R"({"kind":"Status","code":401})"),
            "the API server does not accept the credentials (401)");
  EXPECT_EQ(answer(503, R"({"kind":"Status","message":"starting"})"),
            "the API server returned an error: HTTP 503: starting");
  for (const std::string body : {"<html>", "", "404 page not found", "{}", "[1]", "\xff"}) {
    EXPECT_EQ(answer(404, body).find("the server is not a Kubernetes API server: HTTP 404: "), 0u)
        << body;
    EXPECT_NE(answer(200, body), "") << body;
  }
  ApiResponse lost;
  lost.error = TransportError::kNotSent;
  lost.error_message = "GET https://h: no route";
  EXPECT_EQ(WhyUnusable(lost), "the API server cannot be reached: GET https://h: no route");
}

}  // namespace
}  // namespace xebec::kube
