// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http_endpoint.h"

#include "common/telemetry/proc.h"
#include "common/telemetry/testing/http_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

using ::testing::HasSubstr;

Checks OneFineOneBroken() {
  return {{"lease", [] { return std::string("not renewed for 20 s"); }},
          {"ping", [] { return std::string(); }}};
}

TEST(Health, SaysOkWhenEveryCheckIsFine) {
  EXPECT_EQ(AnswerHealth({{"ping", [] { return std::string(); }}}, "livez", "", false, {}),
            std::pair(200, std::string("ok")));
}

TEST(Health, NamesTheFailingCheckAndWhy) {
  const auto [status, body] = AnswerHealth(OneFineOneBroken(), "readyz", "", false, {});
  EXPECT_EQ(status, 500);
  EXPECT_THAT(body, HasSubstr("[-]lease failed: not renewed for 20 s\n"));
  EXPECT_THAT(body, HasSubstr("[+]ping ok\n"));
}

TEST(Health, AnExcludedCheckDoesNotCount) {
  EXPECT_EQ(AnswerHealth(OneFineOneBroken(), "readyz", "", false, {"lease"}).first, 200);
}

TEST(Health, OneCheckCanBeAskedAlone) {
  EXPECT_EQ(AnswerHealth(OneFineOneBroken(), "readyz", "/ping", false, {}).first, 200);
  EXPECT_EQ(AnswerHealth(OneFineOneBroken(), "readyz", "/lease", false, {}).first, 500);
  EXPECT_EQ(AnswerHealth(OneFineOneBroken(), "readyz", "/nope", false, {}).first, 404);
}

TEST(Health, WhatACheckQuotesOfOthersIsShownAsValidUtf8) {
  const Checks checks = {{"lists", [] { return std::string("HTTP 500: \xff\xfe"); }}};
  EXPECT_THAT(AnswerHealth(checks, "readyz", "", false, {}).second,
              HasSubstr("HTTP 500: \xEF\xBF\xBD\xEF\xBF\xBD\n"));
  EXPECT_THAT(AnswerHealth(checks, "readyz", "/lists", false, {}).second,
              HasSubstr("HTTP 500: \xEF\xBF\xBD"));
}

TEST(HttpEndpoint, ServesMetricsAndHealthOnAFreePort) {
  Registry registry;
  registry.AddCounter("xebec_test_total", "A test.").Add(3);
  registry.AddProcessMetrics("test", "1.2.3");
  auto endpoint = HttpEndpoint::Start("127.0.0.1:0", &registry, OneFineOneBroken(), {});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  const int port = (*endpoint)->port();
  const Fetched metrics = Fetch(port, "/metrics");
  EXPECT_THAT(metrics.head, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8"));
  EXPECT_THAT(metrics.body, HasSubstr("xebec_test_total 3"));
  EXPECT_THAT(metrics.body, HasSubstr("process_resident_memory_bytes"));
  EXPECT_THAT(metrics.body, HasSubstr("version=\"1.2.3\""));
  for (const char* path : {"/livez", "/healthz", "/livez/lease"}) {
    EXPECT_EQ(Fetch(port, path).status, 500) << path;
  }
  EXPECT_EQ(Fetch(port, "/livez?exclude=lease").status, 200);
  EXPECT_THAT(Fetch(port, "/livez?verbose").body, HasSubstr("[+]ping ok\n"));
  for (const char* path : {"/readyz/", "/readyzz", "/", "/metrics/x"}) {
    EXPECT_EQ(Fetch(port, path).status, 404) << path;
  }
  EXPECT_EQ(Fetch(port, "/readyz").body, "ok");
}

// Each of the clients sends a header without end, as fast as it can.
TEST(HttpEndpoint, EndlessHeadersDoNotCostMemory) {
  Registry registry;
  const auto endpoint = HttpEndpoint::Start("127.0.0.1:0", &registry, {}, {});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  const int port = (*endpoint)->port();
  const std::string piece(1 << 20, 'a');
  const double before = ReadProc().resident_bytes;
  for (int client = 0; client < 20; ++client) {
    const RawClient endless(port);
    endless.Send("GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 10 && endless.Send(piece); ++i) {
    }
    EXPECT_EQ(Fetch(port, "/livez").status, 200);
  }
  EXPECT_LT(ReadProc().resident_bytes - before, 16 << 20);
}

TEST(HttpEndpoint, AnAddressThatIsTakenIsNamed) {
  Registry registry;
  const auto first = HttpEndpoint::Start("127.0.0.1:0", &registry, {}, {});
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = "127.0.0.1:" + std::to_string((*first)->port());
  const auto second = HttpEndpoint::Start(address, &registry, {}, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
}

TEST(HttpEndpoint, AnAddressThatCannotBeReadIsNamed) {
  Registry registry;
  const auto endpoint = HttpEndpoint::Start("localhost", &registry, {}, {});
  EXPECT_THAT(std::string(endpoint.status().message()),
              HasSubstr("\"localhost\" is not an address"));
}

TEST(Metrics, TheSameSeriesIsTheSameCounter) {
  Registry registry;
  registry.AddCounter("a_total", "A.", {{"code", "200"}}).Add();
  registry.AddCounter("a_total", "A.", {{"code", "200"}}).Add();
  EXPECT_THAT(registry.Scrape(), HasSubstr("a_total{code=\"200\"} 2"));
}

TEST(Metrics, ASourceIsAskedAtEachScrape) {
  Registry registry;
  double value = 1;
  registry.AddSource([&value] {
    return std::vector<Family>{{.type = Family::Type::kGauge,
                                .name = "depth",
                                .help = "Depth.",
                                .samples = {{{{"name", "q"}}, value}},
                                .distributions = {}}};
  });
  EXPECT_THAT(registry.Scrape(), HasSubstr("depth{name=\"q\"} 1"));
  value = 2;
  EXPECT_THAT(registry.Scrape(), HasSubstr("depth{name=\"q\"} 2"));
}

TEST(Metrics, BucketsOfASourceAreCumulatedForPrometheus) {
  Registry registry;
  registry.AddSource([] {
    return std::vector<Family>{{.type = Family::Type::kHistogram,
                                .name = "t",
                                .help = "T.",
                                .samples = {},
                                .distributions = {{{}, {0.1, 1}, {2, 3, 1}, 4.5}}}};
  });
  const std::string text = registry.Scrape();
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"0.1\"} 2"));
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"1\"} 5"));
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"+Inf\"} 6"));
  EXPECT_THAT(text, HasSubstr("t_sum 4.5"));
}

TEST(Metrics, ACounterNeverFalls) {
  Registry registry;
  Counter counter = registry.AddCounter("a_total", "A.");
  counter.SetTotal(5);
  counter.SetTotal(3);
  EXPECT_THAT(registry.Scrape(), HasSubstr("a_total 5"));
}

}  // namespace
}  // namespace xebec::telemetry
