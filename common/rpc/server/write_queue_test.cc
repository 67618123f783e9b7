// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/write_queue.h"

#include <string>

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using Queue = WriteQueue<std::string>;

/// "a+" is a message with another one behind it, "a." ends the stream, "." is only the end, and
/// "-" is nothing.
std::string Next(Queue& queue) {
  const auto step = queue.Next();
  if (!step) return "-";
  return step->message.value_or("") + (step->more ? "+" : "") + (step->last ? "." : "");
}

TEST(WriteQueue, OneWriteAtATimeInTheOrderOfArrival) {
  Queue queue;
  EXPECT_EQ(Next(queue), "-");
  queue.Add("a");
  EXPECT_EQ(Next(queue), "a");
  queue.Add("b");
  queue.Add("c");
  EXPECT_EQ(Next(queue), "-") << "a is in progress";
  EXPECT_EQ(queue.waiting(), 2u);
  queue.Complete();
  EXPECT_EQ(Next(queue), "b+");
  queue.Complete();
  EXPECT_EQ(Next(queue), "c");
  queue.Complete();
  EXPECT_EQ(Next(queue), "-");
}

TEST(WriteQueue, TheEndGoesWithTheLastMessage) {
  Queue queue;
  queue.Add("a");
  queue.Add("b");
  queue.End();
  queue.Add("too late");
  EXPECT_EQ(Next(queue), "a+");
  queue.Complete();
  EXPECT_EQ(Next(queue), "b.");
  queue.Complete();
  EXPECT_EQ(Next(queue), "-") << "there is one end";
}

TEST(WriteQueue, TheEndFollowsAWriteInProgress) {
  Queue queue;
  queue.Add("a");
  EXPECT_EQ(Next(queue), "a");
  queue.End();
  EXPECT_EQ(Next(queue), "-");
  queue.Complete();
  EXPECT_EQ(Next(queue), ".");
  queue.Complete();
  EXPECT_EQ(Next(queue), "-");
}

TEST(WriteQueue, ABrokenStreamSendsNothingMore) {
  Queue queue;
  queue.Add("a");
  EXPECT_EQ(Next(queue), "a");
  queue.Add("b");
  queue.Break();
  queue.Complete();
  queue.Add("c");
  EXPECT_EQ(Next(queue), "-");
}

TEST(WriteQueue, HoldComesBeforeTheFirstWrite) {
  Queue queue;
  queue.Hold();
  queue.Add("a");
  EXPECT_EQ(Next(queue), "-");
  queue.Complete();
  EXPECT_EQ(Next(queue), "a");
}

}  // namespace
}  // namespace xebec::rpc
