// SPDX-License-Identifier: Apache-2.0
#include "common/base/bounded_queue.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace xebec {
namespace {

constexpr absl::Duration kTestTimeout = absl::Seconds(60);

size_t Length(const std::string& text) { return text.size(); }

TEST(BoundedQueue, KeepsTheOrderOfArrival) {
  BoundedQueue<int> queue({.items = 8});
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(queue.Push(int(i)));
  EXPECT_EQ(queue.Pop(), 1);
  const std::deque<int> rest = queue.PopAll(absl::ZeroDuration());
  EXPECT_EQ(std::vector<int>(rest.begin(), rest.end()), (std::vector<int>{2, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(BoundedQueue, PopAllOfAnEmptyQueueReturnsAfterItsTimeout) {
  BoundedQueue<int> queue({.items = 8});
  EXPECT_TRUE(queue.PopAll(absl::Milliseconds(1)).empty());
}

TEST(BoundedQueue, APushIntoAFullQueueWaitsForAPop) {
  BoundedQueue<int> queue({.items = 1});
  queue.Push(1);
  std::atomic<bool> pushed{false};
  std::thread producer([&] {
    EXPECT_TRUE(queue.Push(2));
    pushed = true;
  });
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  producer.join();
}

TEST(BoundedQueue, TheBytesOfTheItemsCountToo) {
  BoundedQueue<std::string> queue({.items = 100, .bytes = 10}, Length);
  queue.Push("123456");
  queue.Push("7890");
  std::atomic<bool> pushed{false};
  std::thread producer([&] {
    queue.Push("x");
    pushed = true;
  });
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.Pop(), "123456");
  producer.join();
  EXPECT_EQ(queue.size(), 2u);
}

TEST(BoundedQueue, PopAllMakesRoomForBytes) {
  BoundedQueue<std::string> queue({.items = 100, .bytes = 10}, Length);
  queue.Push("1234567890");
  std::thread producer([&] { queue.Push("1234567890"); });
  EXPECT_EQ(queue.PopAll(kTestTimeout).size(), 1u);
  producer.join();
  EXPECT_EQ(queue.size(), 1u);
}

TEST(BoundedQueue, AnItemThatIsLargerThanTheLimitEntersAnEmptyQueue) {
  BoundedQueue<std::string> queue({.items = 100, .bytes = 3}, Length);
  EXPECT_TRUE(queue.Push("12345"));
  EXPECT_EQ(queue.Pop(), "12345");
}

TEST(BoundedQueue, PushNowAddsPastTheLimits) {
  BoundedQueue<int> queue({.items = 1});
  EXPECT_TRUE(queue.PushNow(1));
  EXPECT_TRUE(queue.PushNow(2));
  EXPECT_EQ(queue.size(), 2u);
}

TEST(BoundedQueue, CloseWakesProducersAndConsumersAndKeepsTheItems) {
  BoundedQueue<std::string> queue({.items = 1});
  queue.Push("kept");
  std::thread producer([&] {
    std::string item = "refused";
    while (queue.Push(std::move(item))) item = "refused";
    EXPECT_EQ(item, "refused") << "a refused item stays with its producer";
  });
  queue.Close();
  producer.join();
  EXPECT_EQ(queue.Pop(), "kept");
  EXPECT_EQ(queue.Pop(), std::nullopt);
  EXPECT_TRUE(queue.PopAll(absl::InfiniteDuration()).empty());
  EXPECT_FALSE(queue.PushNow("more"));
}

TEST(BoundedQueue, ACloseEndsAWaitingPop) {
  BoundedQueue<int> queue({.items = 1});
  std::thread consumer([&] { EXPECT_EQ(queue.Pop(), std::nullopt); });
  queue.Close();
  consumer.join();
}

TEST(BoundedQueue, CloseAndClearDestroysTheItemsOutsideTheLock) {
  BoundedQueue<std::shared_ptr<void>> queue({.items = 8});
  size_t seen = 99;
  queue.Push(std::shared_ptr<void>(nullptr, [&](void*) { seen = queue.size(); }));
  queue.CloseAndClear();
  EXPECT_EQ(seen, 0u);
}

TEST(BoundedQueue, ManyProducersLoseNothing) {
  BoundedQueue<int> queue({.items = 4});
  std::vector<std::thread> producers;
  for (int p = 0; p < 4; ++p) {
    producers.emplace_back([&] {
      for (int i = 1; i <= 1000; ++i) queue.Push(int(i));
    });
  }
  int sum = 0;
  for (int taken = 0; taken < 4000; ++taken) sum += *queue.Pop();
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(sum, 4 * 500500);
}

}  // namespace
}  // namespace xebec
