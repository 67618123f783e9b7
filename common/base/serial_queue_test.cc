// SPDX-License-Identifier: Apache-2.0
#include "common/base/serial_queue.h"

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace xebec {
namespace {

using Queue = SerialQueue<std::function<void()>>;

/// Runs the items. Serves on a thread of its own from construction to Stop.
class Server final : public Queue::Consumer {
 public:
  explicit Server(Queue* queue) : queue_(queue) {
    std::promise<void> began;
    began_ = &began;
    thread_ = std::thread([this] { queue_->Serve(this); });
    began.get_future().wait();
  }
  ~Server() { Stop(); }

  void Stop() {
    queue_->Close();
    if (thread_.joinable()) thread_.join();
  }

  std::thread::id id() const { return thread_.get_id(); }

  /// Runs at the end of each turn. Returns when the next turn is due.
  std::function<absl::Duration()> at_end = [] { return absl::InfiniteDuration(); };

 private:
  void Handle(std::function<void()> item) override { item(); }

  absl::Duration EndTurn(absl::Duration) override {
    const absl::Duration next = at_end();
    if (auto* began = std::exchange(began_, nullptr)) began->set_value();
    return next;
  }

  Queue* const queue_;
  std::promise<void>* began_;
  std::thread thread_;
};

/// Pushes an item and returns the thread that has run it.
std::thread::id WhoRuns(Queue* queue, bool (Queue::*push)(std::function<void()>&&)) {
  auto ran = std::make_shared<std::promise<std::thread::id>>();  // the item may outlive the wait
  std::future<std::thread::id> id = ran->get_future();
  (queue->*push)([ran] { ran->set_value(std::this_thread::get_id()); });
  return id.get();
}

/// Waits until the thread in Serve has finished the first turn. From then on, the queue is idle.
void AwaitIdle(Queue* queue) {
  while (WhoRuns(queue, &Queue::PushNow) != std::this_thread::get_id()) std::this_thread::yield();
}

TEST(SerialQueue, BeforeServeItemsWaitInOrder) {
  SerialQueue<int> queue({.items = 8});
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.PushNow(2));
  EXPECT_TRUE(queue.PushForServer(3));
  EXPECT_EQ(queue.PopAll(absl::ZeroDuration()), (std::deque<int>{1, 2, 3}));
}

TEST(SerialQueue, TheServerHandlesWhatHasWaited) {
  Queue queue({.items = 8});
  std::promise<std::thread::id> ran;
  queue.Push([&] { ran.set_value(std::this_thread::get_id()); });
  Server server(&queue);
  EXPECT_EQ(ran.get_future().get(), server.id());
}

TEST(SerialQueue, AThreadThatPushesToAnIdleConsumerHandlesItsItem) {
  Queue queue({.items = 8});
  Server server(&queue);
  AwaitIdle(&queue);
  EXPECT_EQ(WhoRuns(&queue, &Queue::Push), std::this_thread::get_id());
  EXPECT_EQ(WhoRuns(&queue, &Queue::PushNow), std::this_thread::get_id());
}

TEST(SerialQueue, PushForServerLeavesTheItemToTheServer) {
  Queue queue({.items = 8});
  Server server(&queue);
  AwaitIdle(&queue);
  EXPECT_EQ(WhoRuns(&queue, &Queue::PushForServer), server.id());
}

// The thread that is in a turn handles what others push meanwhile: nobody has to wake up.
TEST(SerialQueue, WhatIsPushedDuringATurnIsHandledAfterIt) {
  Queue queue({.items = 8});
  Server server(&queue);
  AwaitIdle(&queue);
  std::vector<std::string> order;
  std::thread::id other_ran_on;
  queue.Push([&] {
    std::thread other([&] {
      queue.Push([&] {
        order.push_back("other");
        other_ran_on = std::this_thread::get_id();
      });
    });
    other.join();
    order.push_back("first");
  });
  EXPECT_EQ(order, (std::vector<std::string>{"first", "other"}));
  EXPECT_EQ(other_ran_on, std::this_thread::get_id());
}

TEST(SerialQueue, AThreadDoesNotWorkForOthersForEver) {
  Queue queue({.items = 8});
  std::promise<void> elsewhere;
  std::function<void()> again;
  Server server(&queue);
  AwaitIdle(&queue);
  const std::thread::id here = std::this_thread::get_id();
  again = [&] {
    if (std::this_thread::get_id() != here) return elsewhere.set_value();
    queue.PushNow(std::function<void()>(again));
  };
  queue.Push(std::function<void()>(again));  // returns, although each turn pushes an item
  elsewhere.get_future().wait();
}

TEST(SerialQueue, ATurnRunsWhenItIsDue) {
  Queue queue({.items = 8});
  std::promise<std::thread::id> due;
  Server server(&queue);
  AwaitIdle(&queue);
  queue.Push([&] {
    server.at_end = [&, first = true]() mutable {
      if (!std::exchange(first, false)) return absl::InfiniteDuration();
      server.at_end = [&] {
        due.set_value(std::this_thread::get_id());
        server.at_end = [] { return absl::InfiniteDuration(); };
        return absl::InfiniteDuration();
      };
      return ReadClock().monotonic + absl::Milliseconds(1);
    };
  });
  EXPECT_EQ(due.get_future().get(), server.id());
}

TEST(SerialQueue, CloseEndsServeAfterTheTurn) {
  Queue queue({.items = 8});
  auto server = std::make_unique<Server>(&queue);
  AwaitIdle(&queue);
  std::promise<void> in_turn;
  std::promise<void> go_on;
  std::atomic<bool> ended{false};
  std::thread pusher([&] {
    queue.Push([&] {
      in_turn.set_value();
      go_on.get_future().wait();
      ended = true;
    });
  });
  in_turn.get_future().wait();
  std::thread stopper([&] {
    server->Stop();
    EXPECT_TRUE(ended);
  });
  while (!queue.closed()) std::this_thread::yield();
  go_on.set_value();
  stopper.join();
  pusher.join();
  EXPECT_FALSE(queue.Push([] { FAIL(); }));
}

// Several producers and turns at due times at once: each producer's items keep their order, and no
// two turns overlap (`handled` has no lock; the thread sanitizer would see it).
TEST(SerialQueue, TurnsDoNotOverlapAndKeepTheOrderOfEachProducer) {
  constexpr int kProducers = 4;
  constexpr int kItems = 2000;
  Queue queue({.items = 16});
  std::vector<std::vector<int>> handled(kProducers);
  std::promise<void> all;
  Server server(&queue);
  queue.PushForServer(
      [&] { server.at_end = [] { return ReadClock().monotonic + absl::Microseconds(50); }; });
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < kItems; ++i) queue.Push([&, p, i] { handled[p].push_back(i); });
    });
  }
  for (std::thread& producer : producers) producer.join();
  queue.PushNow([&] { all.set_value(); });
  all.get_future().wait();
  server.Stop();
  for (const std::vector<int>& items : handled) {
    ASSERT_EQ(items.size(), static_cast<size_t>(kItems));
    for (int i = 0; i < kItems; ++i) EXPECT_EQ(items[i], i);
  }
}

}  // namespace
}  // namespace xebec
