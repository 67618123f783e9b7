// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_loop.h"

#include "common/base/clock.h"
#include "common/rpc/testing/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// Counts its ticks. Each tick makes it due at `next`.
class Counter final : public StreamLoop::Client {
 public:
  struct State {
    absl::Duration due = absl::InfiniteDuration();
    absl::Duration next = absl::InfiniteDuration();
    int ticks = 0;
  };

  absl::Duration Due() override {
    return state.With([](State& now) { return now.due; });
  }
  void Tick() override {
    state.With([](State& now) {
      now.due = now.next;
      return ++now.ticks;
    });
  }
  void SetDue(absl::Duration due) {
    state.With([&](State& now) { return now.due = due; });
  }
  bool AwaitTicks(int count) {
    return state.Await([count](const State& now) { return now.ticks >= count; });
  }

  Watched<State> state;
};

TEST(StreamLoop, NoWakeUpIsLost) {
  StreamLoop loop;
  Counter counter;
  loop.Add(&counter);
  for (int round = 1; round <= 2000; ++round) {
    counter.SetDue(ReadClock().monotonic);
    loop.WakeBefore(ReadClock().monotonic);
    ASSERT_TRUE(counter.AwaitTicks(round));
  }
  loop.Remove(&counter);
}

TEST(StreamLoop, AClientIsCalledWhenItIsDueAndNotBefore) {
  StreamLoop loop;
  Counter counter;
  const absl::Duration due = ReadClock().monotonic + absl::Milliseconds(30);
  counter.SetDue(due);
  loop.Add(&counter);
  ASSERT_TRUE(counter.AwaitTicks(1));
  EXPECT_GE(ReadClock().monotonic, due);
  loop.Remove(&counter);
}

TEST(StreamLoop, ARemovedClientIsNotCalledAgain) {
  StreamLoop loop;
  for (int round = 0; round < 200; ++round) {
    auto counter = std::make_unique<Counter>();
    counter->state.With([](Counter::State& now) { return now.due = now.next = absl::Duration(); });
    loop.Add(counter.get());  // it is always due
    ASSERT_TRUE(counter->AwaitTicks(1));
    loop.Remove(counter.get());
  }
}

TEST(StreamLoop, MayEndAtTheMomentAtWhichItsThreadWakesUp) {
  for (int round = 0; round < 5000; ++round) {
    StreamLoop loop;
    Counter counter;
    counter.state.With([](Counter::State& now) { return now.due = now.next = absl::Duration(); });
    loop.Add(&counter);  // it is always due: the thread sleeps for no time
    ASSERT_TRUE(counter.AwaitTicks(1));
    loop.Remove(&counter);
    const absl::Duration end = ReadClock().monotonic + absl::Nanoseconds(100) * (round % 100);
    while (ReadClock().monotonic < end) continue;
  }
}

}  // namespace
}  // namespace xebec::rpc
