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

constexpr char kListEnd[] =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

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
  void Open(bool initial_events) {
    StartWatch request{.stream = 3, .type = {"", "v1", "Pod", "pods"}};
    request.initial_events = initial_events;
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

TEST_F(WatchStreamTest, AListLacksObjectsThatTheProjectionDoesNotKeep) {
  Open(/*initial_events=*/true);
  EXPECT_EQ(NamesOf(Line("ADDED", "foreign", false) + Line("ADDED", "own", true)), Names{"own"});
  EXPECT_EQ(NamesOf(Line("ADDED", "foreign", false)), Names()) << "it is not silent";
  EXPECT_EQ(NamesOf(Line("MODIFIED", "lost", false) + Line("DELETED", "gone", false)),
            (Names{"lost", "gone"}))
      << "the list may have shown them before";
}

TEST_F(WatchStreamTest, EventsAfterTheListShowTheNamesOfAllObjects) {
  Open(/*initial_events=*/true);
  EXPECT_EQ(NamesOf(Line("ADDED", "listed", false) + kListEnd + Line("ADDED", "foreign", false)),
            (Names{"", "foreign"}));
  EXPECT_EQ(NamesOf(Line("ADDED", "later", false)), Names{"later"});
}

TEST_F(WatchStreamTest, AWatchShowsTheNamesOfAllObjects) {
  Open(/*initial_events=*/false);
  EXPECT_EQ(NamesOf(Line("ADDED", "foreign", false)), Names{"foreign"});
}

TEST_F(WatchStreamTest, APartOfALineIsNotHeard) {
  Open(/*initial_events=*/true);
  const std::string line = Line("ADDED", "foreign", false);
  EXPECT_EQ(NamesOf(line.substr(0, 40)), std::nullopt);
  EXPECT_EQ(NamesOf(line.substr(40)), Names());
}

}  // namespace
}  // namespace xebec::watcher
