// SPDX-License-Identifier: Apache-2.0
#include "planner/service/worker_pool.h"

#include <atomic>
#include <latch>
#include <thread>

#include "gtest/gtest.h"

namespace xebec::planner {
namespace {

TEST(WorkerPool, WorksOffEverythingBeforeItEnds) {
  std::atomic<int> done{0};
  {
    WorkerPool pool(2, 100, "test");
    for (int i = 0; i < 100; ++i) pool.Post([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

TEST(WorkerPool, AFullQueueHoldsPostUp) {
  std::latch entered(1), open(1);
  std::atomic<int> done{0};
  {
    WorkerPool pool(1, 2, "test");
    pool.Post([&] {
      entered.count_down();
      open.wait();
    });
    entered.wait();
    pool.Post([&] { ++done; });
    pool.Post([&] { ++done; });
    std::atomic<bool> posted{false};
    std::thread poster([&] {
      pool.Post([&] { ++done; });
      posted = true;
    });
    EXPECT_EQ(pool.depth(), 2u);
    EXPECT_FALSE(posted) << "the only worker is held";
    open.count_down();
    poster.join();
  }
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace xebec::planner
