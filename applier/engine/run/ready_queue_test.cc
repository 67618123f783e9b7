// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/ready_queue.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::ElementsAre;

const RequestClass kCreate{"configmaps", "create"};
const RequestClass kPatch{"configmaps", "patch"};

/// A budget with room for one request.
RequestBudget OneRequest() {
  LimitBounds bounds;
  bounds.min = bounds.start = bounds.max = 1;
  return RequestBudget(bounds);
}

std::vector<uint64_t> PopAll(ReadyQueue* queue, const RequestBudget& budget) {
  std::vector<uint64_t> runs;
  while (const auto run = queue->Pop(budget)) runs.push_back(*run);
  return runs;
}

TEST(ReadyQueue, RunsGetTheirTurnsInTheOrderInWhichTheyCame) {
  ReadyQueue queue;
  queue.Push(3);
  queue.Block(2, kPatch);
  queue.Block(4, kCreate);
  queue.Push(1);
  queue.Block(5, kPatch);
  EXPECT_THAT(PopAll(&queue, OneRequest()), ElementsAre(3, 2, 4, 1, 5));
}

TEST(ReadyQueue, BlockedRunsWaitForRoom) {
  ReadyQueue queue;
  RequestBudget budget = OneRequest();
  ASSERT_TRUE(budget.TryTake(kCreate));
  queue.Block(1, kCreate);
  queue.Push(2);
  EXPECT_THAT(PopAll(&queue, budget), ElementsAre(2));
  queue.Push(3);
  budget.OnAnswer(kCreate, {.status = 201}, absl::Milliseconds(5), absl::ZeroDuration());
  EXPECT_THAT(PopAll(&queue, budget), ElementsAre(1, 3));
}

TEST(ReadyQueue, ARunHasOneTurnInEachLine) {
  ReadyQueue queue;
  for (int i = 0; i < 2; ++i) {
    queue.Push(1);
    queue.Block(1, kCreate);
  }
  EXPECT_THAT(PopAll(&queue, OneRequest()), ElementsAre(1, 1));
  queue.Push(1);
  EXPECT_THAT(PopAll(&queue, OneRequest()), ElementsAre(1));
}

}  // namespace
}  // namespace xebec::applier
