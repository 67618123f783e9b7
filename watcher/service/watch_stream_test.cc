// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watch_stream.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

/// A line of a watch of Pods, which belong to an Iris if `own`.
std::string Line(const std::string& type, const std::string& name, bool own) {
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"a/v1","kind":"Iris","name":"w","uid":"u","controller":true}],)";
  return absl::StrCat(R"({"type":")", type, R"(","object":{"metadata":{)", own ? owner : "",
                      R"("name":")", name, R"(","uid":"u-)", name, R"(","resourceVersion":"7"}}})",
                      "\n");
}

/// A watch of Pods and the names of its events, in order.
class WatchStreamTest : public ::testing::Test {
 protected:
  WatchStreamTest() {
    StartWatch request{.stream = 3, .type = {"", "v1", "Pod", "pods"}};
    request.projection.controller_kinds = {"a/v1/Iris"};
    callbacks_ = WatchCallbacks(request, &queue_);
  }
  /// The names of the events of the message that the chunk leads to; nullopt if there is none.
  std::optional<std::vector<std::string>> NamesOf(const std::string& chunk) {
    callbacks_.on_chunk(chunk);
    const std::deque<Message> messages = queue_.PopAll(absl::ZeroDuration());
    if (messages.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& event : std::get<EventsArrived>(std::get<Input>(messages.front())).events) {
      names.push_back(event.object.header.name);
    }
    return names;
  }
  using Names = std::vector<std::string>;

  MessageQueue queue_{{.items = 10}};
  http::ApiClient::StreamEvents callbacks_;
};

TEST_F(WatchStreamTest, ShowsTheNamesOfAllObjects) {
  EXPECT_EQ(NamesOf(Line("ADDED", "foreign", false) + Line("MODIFIED", "own", true)),
            (Names{"foreign", "own"}));
}

TEST_F(WatchStreamTest, APartOfALineWaitsForTheRest) {
  const std::string line = Line("ADDED", "foreign", false);
  EXPECT_EQ(NamesOf(line.substr(0, 40)), std::nullopt);
  EXPECT_EQ(NamesOf(line.substr(40)), Names{"foreign"});
}

}  // namespace
}  // namespace xebec::watcher
