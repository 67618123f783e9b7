// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/log.h"

#include "common/base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const LogOptions kJsonLog{.component = "watcher", .level = "info", .format = "json"};

std::string Line(std::initializer_list<Field> fields) {
  return FormatLine(kJsonLog, Level::kInfo, "2026-01-01T00:00:00Z", "engine", "Relisted", fields);
}

TEST(Log, AJsonLineCarriesTheKeysThatDashboardsKnow) {
  const absl::StatusOr<Json> line = ParseJson(Line({{"reconcileID", "w-1"}, {"events", 3}}));
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(*line, Json({{"level", "info"},
                         {"ts", "2026-01-01T00:00:00Z"},
                         {"component", "watcher"},
                         {"logger", "engine"},
                         {"msg", "Relisted"},
                         {"reconcileID", "w-1"},
                         {"events", 3}}));
}

TEST(Log, ValuesOfSecretKeysAreNeverPrinted) {
  for (const char* key : {"bearerToken", "Authorization", "client-key", "client_key_data",
                          "clientKey", "PASSWORD", "privateKey", "db-credentials"}) {
    EXPECT_THAT(Line({{key, "hunter2"}}), Not(HasSubstr("hunter2"))) << key;
    EXPECT_THAT(Line({{key, "hunter2"}}), HasSubstr("[redacted]")) << key;
  }
  EXPECT_THAT(Line({{"key", "default/web"}}), HasSubstr("default/web"));
}

TEST(Log, ControlCharactersAndInvalidUtf8StayOnOneReadableLine) {
  const std::string line = Line({{"detail", std::string("a\nb\x01\xff")}});
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_TRUE(ParseJson(line).ok());
}

TEST(Log, ALineStaysBelowSixteenKibibytesAndStaysJson) {
  const std::string huge(100000, 'x');
  const std::string line = Line({{"a", huge}, {"b", huge}, {"c", huge}, {"d", huge}, {"e", huge}});
  EXPECT_LE(line.size(), 16u * 1024);
  EXPECT_TRUE(ParseJson(line).ok());
}

TEST(Log, AHugeMessageIsCutNotLost) {
  const std::string line = FormatLine(kJsonLog, Level::kInfo, "T", "engine",
                                      "Begins " + std::string(100000, '\x01'), {});
  EXPECT_LE(line.size(), 16u * 1024);
  EXPECT_THAT(line, HasSubstr("Begins "));
  EXPECT_TRUE(ParseJson(line).ok());
}

TEST(Log, ATextLineIsOneLineWhateverTheMessage) {
  const std::string line = FormatLine({.component = "x", .level = "info", .format = "text"},
                                      Level::kInfo, "T", "x", "a\nb\x1b[31m", {});
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_THAT(line, Not(HasSubstr("\x1b")));
}

TEST(Log, EmptyValuesAreLeftOut) { EXPECT_THAT(Line({{"detail", ""}}), Not(HasSubstr("detail"))); }

TEST(Log, AnUnknownLevelIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(std::string(InitLog({.component = "x", .level = "loud"}).message()),
              HasSubstr("use debug, info, warning or error"));
}

TEST(Log, TheTextFormatIsOneReadableLine) {
  EXPECT_EQ(FormatLine({.component = "x", .level = "info", .format = "text"}, Level::kWarning, "T",
                       "streams", "Stream down", {{"address", "unix:/x"}}),
            "T WARNING streams: Stream down address=\"unix:/x\"");
}

}  // namespace
}  // namespace xebec::telemetry
