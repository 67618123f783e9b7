// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watch_stream.h"

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
  using Names = std::vector<std::string>;
  /// The names of the events of each message since the last call.
  std::vector<Names> Messages() {
    std::vector<Names> all;
    for (const Message& message : queue_.PopAll(absl::ZeroDuration())) {
      const Input& input = std::get<Input>(message);
      Names& names = all.emplace_back();
      if (!std::holds_alternative<EventsArrived>(input)) continue;
      for (const auto& event : std::get<EventsArrived>(input).events) {
        names.push_back(event.object.header.name);
      }
    }
    return all;
  }
  /// The same, after a chunk that has arrived alone.
  std::vector<Names> NamesOf(const std::string& chunk) {
    callbacks_.on_chunk(chunk);
    callbacks_.on_batch_end();
    return Messages();
  }

  MessageQueue queue_{{.items = 10}};
  http::ApiClient::StreamEvents callbacks_;
};

TEST_F(WatchStreamTest, ShowsTheNamesOfAllObjects) {
  EXPECT_EQ(NamesOf(Line("ADDED", "foreign", false) + Line("MODIFIED", "own", true)),
            (std::vector<Names>{{"foreign", "own"}}));
}

TEST_F(WatchStreamTest, APartOfALineWaitsForTheRest) {
  const std::string line = Line("ADDED", "foreign", false);
  EXPECT_EQ(NamesOf(line.substr(0, 40)), std::vector<Names>{});
  EXPECT_EQ(NamesOf(line.substr(40)), std::vector<Names>{{"foreign"}});
}

TEST_F(WatchStreamTest, EventsThatArriveTogetherAreOneMessage) {
  callbacks_.on_chunk(Line("ADDED", "a", true));
  callbacks_.on_chunk(Line("ADDED", "b", false));
  EXPECT_EQ(Messages(), std::vector<Names>{});
  EXPECT_EQ(NamesOf(Line("DELETED", "a", true)), (std::vector<Names>{{"a", "b", "a"}}));
}

TEST_F(WatchStreamTest, ALargeBatchIsSeveralMessages) {
  const std::string long_name(20 * 1024, 'x');
  for (int i = 0; i < 3; ++i) callbacks_.on_chunk(Line("ADDED", long_name, true));
  EXPECT_EQ(Messages(), (std::vector<Names>{{long_name, long_name}}));
}

TEST_F(WatchStreamTest, EventsBeforeTheEndOfTheWatchAreNotLost) {
  callbacks_.on_chunk(Line("ADDED", "a", true));
  callbacks_.on_end({.status = 200});
  EXPECT_EQ(Messages(), (std::vector<Names>{{"a"}, {}}));
}

TEST_F(WatchStreamTest, EventsBeforeAMalformedOneAreNotLost) {
  callbacks_.on_chunk(Line("ADDED", "a", true) + "{]\n");
  EXPECT_EQ(Messages(), (std::vector<Names>{{"a"}, {}}));
}

}  // namespace
}  // namespace xebec::watcher
