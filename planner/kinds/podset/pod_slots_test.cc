// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/podset/pod_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace xebec::planner {
namespace {

using State = PodFact::State;

std::vector<PodFact> RandomPods(std::mt19937& random) {
  std::vector<PodFact> pods;
  for (int64_t ordinal = 0; ordinal < 8; ++ordinal) {
    PodFact pod;
    pod.name = PodSetPodName("x", ordinal);
    pod.ordinal = ordinal;
    if (ordinal >= 6) {
      pod.ordinal.reset();
      pod.name = "old-" + std::to_string(ordinal);
    }
    pod.state = static_cast<State>(random() % 4);
    pod.ready = pod.state == State::kLive && random() % 2 == 0;
    pod.current = random() % 2 == 0;
    pod.young = random() % 2 == 0;
    if (random() % 2 == 0) pods.push_back(pod);
  }
  return pods;
}

bool Stays(PodAction action) { return action == PodAction::kKeep || action == PodAction::kWait; }

TEST(PodSlots, NeverMoreLivePodsThanReplicasAndNeverLessReadyThanTheBudgetAllows) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const std::vector<PodFact> pods = RandomPods(random);
    const int64_t replicas = random() % 8, max_unavailable = 1 + random() % 3;
    const SlotDecision decision = DecideSlots(pods, replicas, max_unavailable);
    int64_t live = decision.create.size(), ready = 0, replaced_ready = 0;
    for (size_t i = 0; i < pods.size(); ++i) {
      if (pods[i].state == State::kTerminating) {
        EXPECT_EQ(decision.actions[i], PodAction::kWait);
      }
      if (pods[i].state != State::kLive) continue;
      live += Stays(decision.actions[i]) ? 1 : 0;
      ready += Stays(decision.actions[i]) && pods[i].ready ? 1 : 0;
      replaced_ready += decision.actions[i] == PodAction::kReplace && pods[i].ready ? 1 : 0;
    }
    EXPECT_LE(live, replicas);
    if (replaced_ready > 0) {
      EXPECT_GE(ready, replicas - max_unavailable);
    }
  }
}

// Carries a decision out at once: what is deleted is gone, what is made gets ready.
std::vector<PodFact> Next(const std::vector<PodFact>& pods, const SlotDecision& decision) {
  std::vector<PodFact> next;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (!Stays(decision.actions[i]) || pods[i].state == State::kTerminating) continue;
    next.push_back(pods[i]);
    next.back().young = false;
    next.back().ready = pods[i].state == State::kLive;
    if (pods[i].state == State::kUnknown) next.back().state = State::kLive;
  }
  for (int64_t ordinal : decision.create) {
    next.push_back({PodSetPodName("x", ordinal), ordinal, State::kLive, true, true, false});
  }
  return next;
}

TEST(PodSlots, EverySetConvergesWithAllReplicasCurrent) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<PodFact> pods = RandomPods(random);
    const int64_t replicas = random() % 8;
    for (int step = 0; step < 20; ++step) pods = Next(pods, DecideSlots(pods, replicas, 1));
    const SlotDecision decision = DecideSlots(pods, replicas, 1);
    EXPECT_THAT(decision.create, ::testing::IsEmpty());
    EXPECT_EQ(decision.current, replicas);
    EXPECT_EQ(static_cast<int64_t>(pods.size()), replicas);
  }
}

TEST(PodSlots, OrdinalIsReadBackFromEveryName) {
  for (const std::string& parent :
       {std::string("x"), std::string("x-pod"), std::string(58, 'b'), std::string(253, 'c')}) {
    for (int64_t ordinal : {0, 9, 10, 999}) {
      EXPECT_EQ(PodSetOrdinal(parent, PodSetPodName(parent, ordinal)), ordinal);
    }
  }
}

TEST(PodSlots, OtherNamesHaveNoOrdinal) {
  for (const char* name : {"x-pod", "x-pod-", "x-pod-01", "x-pod--1", "x-pod-a", "y-pod-0",
                           "x-pod-99999999999999999999", "0", ""}) {
    EXPECT_EQ(PodSetOrdinal("x", name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace xebec::planner
