// SPDX-License-Identifier: Apache-2.0
#include "common/http/rest_client_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/testing/client_rig.h"

namespace xebec::http {
namespace {

using ::testing::HasSubstr;

TEST(RestClientObserver, CountsWhatDashboardsAskFor) {
  testing::FakeServer server([](const testing::ServedRequest&, testing::Wire& wire) {
    return wire.Write(testing::Http(200, "12345"));
  });
  telemetry::Registry registry;
  ApiClientOptions options;
  options.observer = RestClientObserver(&registry);
  {
    ApiClient client(testing::Access(server.url()), options);
    kube::ApiRequest request = testing::Get("/a");
    request.body = "123";
    request.content_type = "application/json";
    request.method = "PATCH";
    EXPECT_EQ(testing::Ask(client, request).status, 200);
    EXPECT_EQ(testing::Ask(client, request).status, 200);
  }
  const std::string host = "host=\"127.0.0.1:" + std::to_string(server.port()) + "\"";
  const std::string text = registry.Scrape();
  EXPECT_THAT(
      text, HasSubstr("rest_client_requests_total{code=\"200\"," + host + ",method=\"PATCH\"} 2"));
  EXPECT_THAT(text, HasSubstr("rest_client_request_retries_total{code=\"200\"," + host +
                              ",verb=\"PATCH\"} 0"));
  EXPECT_THAT(
      text, HasSubstr("rest_client_request_duration_seconds_count{" + host + ",verb=\"PATCH\"} 2"));
  EXPECT_THAT(text, HasSubstr("rest_client_request_size_bytes_sum{" + host + ",verb=\"PATCH\"} 6"));
  EXPECT_THAT(text,
              HasSubstr("rest_client_response_size_bytes_sum{" + host + ",verb=\"PATCH\"} 10"));
}

}  // namespace
}  // namespace xebec::http
