// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/mailbox.h"

#include <thread>

#include "gtest/gtest.h"
#include "watcher/service/ask.h"

namespace xebec::watcher {
namespace {

TEST(Mailbox, KeepsTheOrderOfArrival) {
  Mailbox box(8);
  box.Post(Input(PlanFailed{1, "first"}));
  box.Post(Input(PlanFailed{2, "second"}));
  std::vector<Mail> mails = box.Take(absl::ZeroDuration());
  ASSERT_EQ(mails.size(), 2u);
  EXPECT_EQ(std::get<PlanFailed>(std::get<Input>(mails[0])).sequence, 1u);
  EXPECT_EQ(std::get<PlanFailed>(std::get<Input>(mails[1])).sequence, 2u);
}

TEST(Mailbox, TakeFromAnEmptyBoxReturnsAfterItsTimeout) {
  Mailbox box(8);
  EXPECT_TRUE(box.Take(absl::Milliseconds(1)).empty());
}

TEST(Mailbox, PostWaitsWhileTheBoxIsFullAndDropsNothing) {
  Mailbox box(1);
  box.Post(Input(Tick{}));
  std::thread producer([&] { box.Post(Input(Stop{})); });
  size_t taken = 0;
  while (taken < 2) taken += box.Take(absl::Seconds(5)).size();
  producer.join();
  EXPECT_EQ(taken, 2u);
}

TEST(Mailbox, CloseReleasesWhoeverWaitsInPost) {
  Mailbox box(1);
  box.Post(Input(Tick{}));
  std::thread producer([&] { box.Post(Input(Stop{})); });
  box.Close();
  producer.join();
  EXPECT_EQ(box.Depth(), 0u);
}

constexpr absl::Duration kForEver = absl::Hours(1);
bool Yes(const Engine&, const Instant&) { return true; }

TEST(Ask, WhoeverAsksAStoppedEngineDoesNotWait) {
  Mailbox box(8);
  box.Close();
  EXPECT_EQ(Ask<bool>(&box, Yes, kForEver), std::nullopt);
}

TEST(Ask, WhoeverWaitsWhenTheEngineStopsIsLetGo) {
  Mailbox box(8);
  std::thread asker([&] { EXPECT_EQ(Ask<bool>(&box, Yes, kForEver), std::nullopt); });
  while (box.Depth() == 0) std::this_thread::yield();
  box.Close();
  asker.join();
}

TEST(Ask, AnEngineThatDoesNotAnswerInTimeIsNotWaitedFor) {
  Mailbox box(8);
  EXPECT_EQ(Ask<bool>(&box, Yes, absl::Milliseconds(1)), std::nullopt);
}

}  // namespace
}  // namespace xebec::watcher
