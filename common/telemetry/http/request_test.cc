// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/request.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

using ::testing::ElementsAre;
using State = RequestReader::State;

State FeedAll(RequestReader* reader, std::string_view bytes) { return reader->Feed(bytes); }

/// Feeds one byte at a time.
State Trickle(RequestReader* reader, std::string_view bytes) {
  State state = State::kIncomplete;
  for (const char byte : bytes) state = reader->Feed({&byte, 1});
  return state;
}

TEST(RequestReader, ReadsARequestInOnePieceAndByteByByte) {
  constexpr char kRequest[] =
      "GET /readyz/cache%2Dsync?verbose&exclude=a%20b&exclude=c HTTP/1.1\r\n"
      "Host: localhost\r\nAccept: */*\r\n\r\n";
  for (const auto& feed : {FeedAll, Trickle}) {
    RequestReader reader;
    ASSERT_EQ(feed(&reader, kRequest), State::kComplete);
    EXPECT_EQ(reader.request().method, "GET");
    EXPECT_EQ(reader.request().path, "/readyz/cache-sync");
    EXPECT_TRUE(reader.request().Has("verbose"));
    EXPECT_FALSE(reader.request().Has("exclud"));
    EXPECT_THAT(reader.request().Values("exclude"), ElementsAre("a b", "c"));
    EXPECT_EQ(reader.size(), 0u) << "the head is not kept";
  }
}

TEST(RequestReader, AcceptsLinesThatEndInLfAlone) {
  RequestReader reader;
  EXPECT_EQ(Trickle(&reader, "GET /livez HTTP/1.0\nHost: x\n\n"), State::kComplete);
}

TEST(RequestReader, IgnoresWhateverFollowsTheHead) {
  RequestReader reader;
  EXPECT_EQ(reader.Feed("GET /livez HTTP/1.1\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n"),
            State::kComplete);
  EXPECT_EQ(reader.Feed("more"), State::kComplete);
  EXPECT_EQ(reader.request().path, "/livez");
}

TEST(RequestReader, WaitsForTheEmptyLine) {
  RequestReader reader;
  EXPECT_EQ(reader.Feed("GET /livez HTTP/1.1\r\nHost: x\r\n"), State::kIncomplete);
  EXPECT_EQ(reader.Feed("\r"), State::kIncomplete);
  EXPECT_EQ(reader.Feed("\n"), State::kComplete);
}

TEST(RequestReader, RefusesAHeadThatIsTooLarge) {
  for (const std::string begin : {"GET /", "GET / HTTP/1.1\r\nX: "}) {
    RequestReader reader;
    State state = reader.Feed(begin);
    for (int i = 0; i < 100 && state == State::kIncomplete; ++i) {
      state = reader.Feed(std::string(1000, 'a'));
      EXPECT_LE(reader.size(), RequestReader::kMaxHead);
    }
    EXPECT_EQ(state, State::kRefused);
    EXPECT_EQ(reader.refusal(), 431);
    EXPECT_EQ(reader.size(), 0u);
  }
}

TEST(RequestReader, RefusesTooManyHeaders) {
  std::string request = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i <= RequestReader::kMaxHeaders; ++i) absl::StrAppend(&request, "a: b\r\n");
  RequestReader reader;
  EXPECT_EQ(reader.Feed(request + "\r\n"), State::kRefused);
  EXPECT_EQ(reader.refusal(), 431);
}

TEST(RequestReader, RefusesMalformedRequests) {
  for (const char* bad :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "GET livez HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n: no name\r\n\r\n"}) {
    RequestReader reader;
    EXPECT_EQ(reader.Feed(bad), State::kRefused) << bad;
    EXPECT_EQ(reader.refusal(), 400) << bad;
  }
}

TEST(RequestReader, RefusesOtherVersions) {
  RequestReader reader;
  EXPECT_EQ(reader.Feed("GET / HTTP/2.0\r\n\r\n"), State::kRefused);
  EXPECT_EQ(reader.refusal(), 505);
}

TEST(RequestReader, KeepsMalformedEscapesAsTheyAre) {
  RequestReader reader;
  ASSERT_EQ(reader.Feed("GET /a%zz%4?x=%&y=%4a HTTP/1.1\r\n\r\n"), State::kComplete);
  EXPECT_EQ(reader.request().path, "/a%zz%4");
  EXPECT_THAT(reader.request().Values("x"), ElementsAre("%"));
  EXPECT_THAT(reader.request().Values("y"), ElementsAre("J"));
}

}  // namespace
}  // namespace xebec::telemetry
