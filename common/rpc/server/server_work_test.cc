// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server_work.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/rpc/testing/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

struct Turns {
  int taken = 0;
  std::thread::id thread;
  absl::Duration pause = absl::InfiniteDuration();  ///< After each.
};

class Counter final : public ServerWork {
 public:
  absl::Duration Turn() override {
    return turns.With([](Turns& now) {
      ++now.taken;
      now.thread = std::this_thread::get_id();
      return now.pause;
    });
  }
  using ServerWork::Wake;

  int taken() {
    return turns.With([](Turns& now) { return now.taken; });
  }
  bool Await(int count) {
    return turns.Await([count](const Turns& now) { return now.taken >= count; });
  }

  Watched<Turns> turns;
};

class ServerWorkTest : public testing::Test {
 protected:
  std::unique_ptr<Server> Start() {
    ServerOptions options;
    options.listen = {"unix:" + SocketPath("s")};
    options.work = &work_;
    return Server::Start(options, {&planner_}).value();
  }

  FakePlanner planner_{"r1"};
  Counter work_;
};

TEST_F(ServerWorkTest, EachWakeIsFollowedByATurnOnTheThreadOfTheServer) {
  const auto server = Start();
  for (int i = 0; i < 100; ++i) {
    const int before = work_.taken();
    work_.Wake();
    ASSERT_TRUE(work_.Await(before + 1)) << i;
  }
  EXPECT_NE(work_.turns.With([](Turns& now) { return now.thread; }), std::this_thread::get_id());
}

TEST_F(ServerWorkTest, AWakeDuringATurnIsFollowedByAnother) {
  class Twice final : public ServerWork {
   public:
    absl::Duration Turn() override {
      if (turns.With([](int& count) { return ++count; }) < 3) Wake();
      return absl::InfiniteDuration();
    }
    Watched<int> turns;
  } twice;
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("t")};
  options.work = &twice;
  const auto server = Server::Start(options, {&planner_}).value();
  EXPECT_TRUE(twice.turns.Await([](int count) { return count >= 3; }));
}

TEST_F(ServerWorkTest, ATurnComesAfterItsPause) {
  work_.turns.With([](Turns& now) { now.pause = absl::Milliseconds(1); });
  const auto server = Start();
  EXPECT_TRUE(work_.Await(3));
}

TEST_F(ServerWorkTest, CallsAreServedWhileManyThreadsWake) {
  const auto server = Start();
  std::atomic<bool> ending{false};
  std::vector<std::thread> wakers;
  for (int i = 0; i < 3; ++i) {
    wakers.emplace_back([&] {
      while (!ending) work_.Wake();
    });
  }
  const auto stub = v1::PlannerService::NewStub(MakeChannel({server->addresses()[0], ""}, {}));
  for (int i = 0; i < 20; ++i) {
    v1::DescribeKindsResponse response;
    const auto context = MakeCallContext(kTestTimeout);
    EXPECT_TRUE(stub->DescribeKinds(context.get(), {}, &response).ok());
  }
  server->Stop(kTestTimeout);  // they wake a server that is gone
  ending = true;
  for (std::thread& waker : wakers) waker.join();
}

TEST_F(ServerWorkTest, AWakeBeforeTheStartAndAfterTheStopIsHarmless) {
  work_.Wake();
  const auto server = Start();
  EXPECT_TRUE(work_.Await(1));
  server->Stop(kTestTimeout);
  const int before = work_.taken();
  work_.Wake();
  EXPECT_EQ(work_.taken(), before);
}

}  // namespace
}  // namespace xebec::rpc
