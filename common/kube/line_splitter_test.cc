// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/kube/watch_event.h"

namespace xebec::kube {
namespace {

struct Decoded {
  WatchEventType type;
  ObjectHeader header;
  std::string json;

  bool operator==(const Decoded&) const = default;
};

std::string Stream() {
  std::string stream;
  for (int i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i);
    stream +=
        R"({"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + n +
        R"(","resourceVersion":")" + n + R"(","managedFields":[{}]},"spec":{"s":"é\n\"]}"}}})" +
        "\n";
  }
  return stream + "\n" + R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})" +
         "\n";
}

void Add(std::string_view line, std::vector<Decoded>* out) {
  const auto event = DecodeWatchLine(line, {});
  ASSERT_TRUE(event.ok()) << event.status();
  out->push_back({event->type, event->object.header,
                  event->object.json ? *event->object.json : std::string()});
}

std::vector<Decoded> DecodeInPieces(std::string_view stream, std::vector<size_t> cuts) {
  LineSplitter splitter;
  std::vector<Decoded> out;
  cuts.push_back(stream.size());
  size_t begin = 0;
  for (const size_t cut : cuts) {
    const auto status = splitter.Feed(stream.substr(begin, cut - begin),
                                      [&](std::string_view line) { Add(line, &out); });
    EXPECT_TRUE(status.ok());
    begin = cut;
  }
  EXPECT_EQ(splitter.pending(), 0u);
  return out;
}

TEST(LineSplitter, EverySplitOfAStreamDecodesAlike) {
  const std::string stream = Stream();
  const auto whole = DecodeInPieces(stream, {});
  ASSERT_EQ(whole.size(), 5u);
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    EXPECT_EQ(DecodeInPieces(stream, {cut}), whole) << cut;
  }
}

TEST(LineSplitter, AStreamByteByByteDecodesAlike) {
  const std::string stream = Stream();
  std::vector<size_t> cuts(stream.size());
  for (size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
  EXPECT_EQ(DecodeInPieces(stream, cuts), DecodeInPieces(stream, {}));
}

TEST(LineSplitter, KeepsAnUnfinishedLineBack) {
  LineSplitter splitter;
  int lines = 0;
  const auto count = [&](std::string_view) { ++lines; };
  ASSERT_TRUE(splitter.Feed("abc\ndef", count).ok());
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(splitter.pending(), 3u);
}

TEST(LineSplitter, RefusesALineBeyondTheLimit) {
  LineSplitter splitter(8);
  const auto ignore = [](std::string_view) {};
  EXPECT_TRUE(splitter.Feed("12345678", ignore).ok());
  EXPECT_EQ(splitter.Feed("9", ignore).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(splitter.Feed("0", ignore).code(), absl::StatusCode::kResourceExhausted);
}

TEST(LineSplitter, GivesLinesReadablePaddingAfterAHugeLine) {
  LineSplitter splitter;
  std::string huge(1024 * 1024, 'x');
  std::vector<size_t> sizes;
  const auto note = [&](std::string_view line) { sizes.push_back(line.size()); };
  ASSERT_TRUE(splitter.Feed(huge, note).ok());
  ASSERT_TRUE(splitter.Feed("\nshort\n", note).ok());
  EXPECT_EQ(sizes, (std::vector<size_t>{huge.size(), 5}));
  EXPECT_EQ(splitter.pending(), 0u);
}

}  // namespace
}  // namespace xebec::kube
