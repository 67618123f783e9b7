// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/answer_cache.h"

#include "gtest/gtest.h"

namespace xebec::gateway {
namespace {

TEST(AnswerCache, FindsByHookRevisionAndDigest) {
  AnswerCache cache(1 << 20);
  cache.Keep(1, "r1", "d", "answer");
  EXPECT_EQ(cache.Find(1, "r1", "d"), "answer");
  EXPECT_FALSE(cache.Find(2, "r1", "d"));
  EXPECT_FALSE(cache.Find(1, "r2", "d"));
  EXPECT_FALSE(cache.Find(1, "r1", "e"));
  cache.Keep(1, "r1", "d", "newer");
  EXPECT_EQ(cache.Find(1, "r1", "d"), "newer");
  EXPECT_EQ(cache.size(), 1u);
}

TEST(AnswerCache, ForgetsOneAnswer) {
  AnswerCache cache(1 << 20);
  cache.Keep(1, "r1", "d", "answer");
  cache.Keep(1, "r1", "e", "other");
  cache.Forget(1, "r1", "d");
  cache.Forget(1, "r1", "unknown");
  EXPECT_FALSE(cache.Find(1, "r1", "d"));
  EXPECT_EQ(cache.Find(1, "r1", "e"), "other");
}

TEST(AnswerCache, DropsTheLeastRecentlyUsedBeyondItsLimit) {
  AnswerCache cache(10'000);
  const std::string answer(900, 'x');
  for (int i = 0; i < 8; ++i) cache.Keep(1, "r", std::to_string(i), answer);
  ASSERT_EQ(cache.size(), 8u);
  EXPECT_TRUE(cache.Find(1, "r", "0"));
  cache.Keep(1, "r", "8", answer);
  EXPECT_TRUE(cache.Find(1, "r", "0"));
  EXPECT_FALSE(cache.Find(1, "r", "1"));
  EXPECT_LE(cache.bytes(), 10'000u);
}

TEST(AnswerCache, KeepsNoAnswerThatWouldDisplaceMostOthers) {
  AnswerCache cache(10'000);
  cache.Keep(1, "r", "d", std::string(5000, 'x'));
  EXPECT_EQ(cache.size(), 0u);
  AnswerCache none(0);
  none.Keep(1, "r", "d", "x");
  EXPECT_EQ(none.bytes(), 0u);
}

TEST(AnswerCache, DropsTheAnswersOfOneHook) {
  AnswerCache cache(1 << 20);
  for (uint64_t hook = 1; hook <= 3; ++hook) {
    cache.Keep(hook, "r", "a", "x");
    cache.Keep(hook, "r", "b", "x");
  }
  cache.Drop(2);
  EXPECT_EQ(cache.size(), 4u);
  EXPECT_FALSE(cache.Find(2, "r", "a"));
  EXPECT_TRUE(cache.Find(3, "r", "b"));
  cache.Drop(1);
  cache.Drop(3);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(AnswerCache, ACopyIsIndependent) {
  AnswerCache cache(1 << 20);
  cache.Keep(1, "r", "a", "x");
  AnswerCache copy = cache;
  copy.Drop(1);
  EXPECT_TRUE(cache.Find(1, "r", "a"));
}

}  // namespace
}  // namespace xebec::gateway
