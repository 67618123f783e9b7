// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/message_queue.h"

#include <atomic>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "watcher/service/ask.h"

namespace xebec::watcher {
namespace {

constexpr size_t kNoLimit = size_t{1} << 40;

/// The events of one chunk of a watch: `count` objects with JSON of `bytes` each.
Message Events(size_t count, size_t bytes) {
  EventsArrived arrived{1, {}};
  arrived.events.resize(count);
  for (kube::WatchEvent& event : arrived.events) {
    event.object.json = std::make_shared<const std::string>(bytes, ' ');
  }
  return Input(std::move(arrived));
}

TEST(MessageQueue, TheJsonOfEventsListsAndReadsCounts) {
  EXPECT_GT(BytesOf(Events(3, 10'000)), 30'000u);
  kube::DecodedObject object;
  object.json = std::make_shared<const std::string>(10'000, ' ');
  ListArrived list{1, {}};
  list.page.objects = {object, object};
  EXPECT_GT(BytesOf(Input(list)), 20'000u);
  EXPECT_GT(BytesOf(Input(LiveArrived{1, {object}})), 10'000u);
  EXPECT_LT(BytesOf(Input(Tick{})), 1'000u);
  EXPECT_LT(BytesOf(Task([] {})), 1'000u);
}

// They were limited only by their number, so hook answers of 8 MiB each could fill the memory.
TEST(MessageQueue, PlansReportsAndHookAnswersCountWithTheirContent) {
  const auto object = std::make_shared<const std::string>(10'000, ' ');
  Plan plan;
  plan.stages = {{"children", {{.action = Apply{object}}, {.action = Delete{}}}}};
  EXPECT_GT(BytesOf(Input(PlanArrived{1, plan})), 10'000u);
  plan.status = StatusIntent{.object = object, .amendments = object, .observed = object};
  EXPECT_GT(BytesOf(Input(PlanArrived{1, plan})), 40'000u);
  plan.hook_requests = {{"digest", {.sync_request = *object}}};
  EXPECT_GT(BytesOf(Input(PlanArrived{1, plan})), 50'000u);
  EXPECT_GT(BytesOf(Input(ReportArrived{1, {.outcomes = {{.message = *object}}}})), 10'000u);
  EXPECT_GT(BytesOf(Input(HookAnswered{1, {*object}})), 10'000u);
}

// A slow engine with a busy watch: the memory of the waiting events is limited, not only their
// number.
TEST(MessageQueue, EventsThatDoNotFitWaitWithTheirProducer) {
  constexpr size_t kBytes = 1 << 20;
  MessageQueue queue({.items = kNoLimit, .bytes = kBytes});
  std::atomic<size_t> pushed{0};
  std::thread producer([&] {
    for (; pushed < 100; ++pushed) queue.Push(Events(1, 64 << 10));
  });
  for (size_t popped = 0; popped < 100;) {
    size_t bytes = 0;
    for (const Message& message : queue.PopAll(absl::Seconds(60))) {
      bytes += BytesOf(message);
      ++popped;
    }
    EXPECT_LE(bytes, kBytes);
  }
  producer.join();
}

constexpr absl::Duration kForEver = absl::Hours(1);
bool Yes(const Engine&, const Instant&) { return true; }

TEST(Ask, AQueryToAStoppedEngineReturnsAtOnce) {
  MessageQueue queue({.items = 8});
  queue.CloseAndClear();
  EXPECT_EQ(Ask<bool>(&queue, Yes, kForEver), std::nullopt);
}

TEST(Ask, AWaitingQueryReturnsWhenTheEngineStops) {
  MessageQueue queue({.items = 8});
  std::thread client([&] { EXPECT_EQ(Ask<bool>(&queue, Yes, kForEver), std::nullopt); });
  while (queue.empty()) std::this_thread::yield();
  queue.CloseAndClear();
  client.join();
}

TEST(Ask, AQueryReturnsAfterItsTimeout) {
  MessageQueue queue({.items = 8});
  EXPECT_EQ(Ask<bool>(&queue, Yes, absl::Milliseconds(1)), std::nullopt);
}

TEST(Ask, AQueryDoesNotWaitForRoomInAFullQueue) {
  MessageQueue queue({.items = 1});
  queue.Push(Input(Tick{}));
  EXPECT_EQ(Ask<bool>(&queue, Yes, absl::Milliseconds(1)), std::nullopt);
}

}  // namespace
}  // namespace xebec::watcher
