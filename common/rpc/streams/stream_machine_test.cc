// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_machine.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns the actions of one type.
template <typename Type>
std::vector<Type> Of(const Actions& actions) {
  std::vector<Type> found;
  for (const Action& action : actions) {
    if (const Type* one = std::get_if<Type>(&action)) found.push_back(*one);
  }
  return found;
}

/// Plays the host of a machine with one address and one stream, and its peer.
class StreamMachineTest : public testing::Test {
 protected:
  StreamMachineTest() {
    options_.streams_per_address = 1;
    options_.backoff_min = absl::Milliseconds(100);
    options_.backoff_max = absl::Seconds(5);
    options_.heartbeat_busy = absl::Milliseconds(500);
    options_.heartbeat_idle = absl::Seconds(5);
    options_.peer_timeout = absl::Seconds(10);
    options_.max_age = absl::Minutes(10);
    options_.drain_timeout = absl::Seconds(30);
    options_.max_waiting = 100;
  }

  StreamMachine& machine() {
    if (!machine_) machine_.emplace(options_, 1);
    return *machine_;
  }

  Actions TickAt(absl::Duration now) {
    now_ = now;
    return machine().Tick(now_);
  }

  /// Makes a connection and returns its stream.
  StreamId Connected() {
    machine().SetAddresses({address_});
    const auto connects = Of<Connect>(machine().Tick(now_));
    EXPECT_EQ(connects.size(), 1u);
    return connects.at(0).stream;
  }
  /// Makes a connection that may carry `credits` requests and writes nothing.
  StreamId Up(uint32_t credits) {
    const StreamId stream = Connected();
    machine().HandshakeDone(stream, "r1", now_);
    machine().Started(stream, true, now_);
    machine().Written(stream, true, now_);
    Credit(stream, credits);
    return stream;
  }
  Actions Credit(StreamId stream, uint32_t credits) {
    Answer answer;
    answer.credits = credits;
    return machine().Heard(stream, answer, PeerVerdict::kNone, "", now_);
  }
  Actions Reply(StreamId stream, uint64_t sequence) {
    Answer answer;
    answer.sequence = sequence;
    answer.credits = 1;
    answer.content = Plan();
    return machine().Heard(stream, answer, PeerVerdict::kNone, "", now_);
  }
  Actions Send(uint64_t sequence, absl::Duration deadline = absl::InfiniteDuration()) {
    Request request;
    request.sequence = sequence;
    request.deadline = deadline;
    return machine().Send(std::move(request), now_);
  }
  /// Returns the sequences that were written; 0 for a heartbeat.
  static std::vector<uint64_t> Writes(const Actions& actions) {
    std::vector<uint64_t> sequences;
    for (const StartWrite& write : Of<StartWrite>(actions)) {
      sequences.push_back(write.request ? write.request->sequence : 0);
    }
    return sequences;
  }
  static std::vector<uint64_t> Unsent(const Actions& actions) {
    std::vector<uint64_t> sequences;
    for (const DeliverLosses& entry : Of<DeliverLosses>(actions)) {
      for (const Request& request : entry.losses.unsent) sequences.push_back(request.sequence);
    }
    return sequences;
  }
  static std::vector<uint64_t> Lost(const Actions& actions) {
    std::vector<uint64_t> sequences;
    for (const DeliverLosses& entry : Of<DeliverLosses>(actions)) {
      sequences.insert(sequences.end(), entry.losses.lost.begin(), entry.losses.lost.end());
    }
    return sequences;
  }

  StreamOptions options_;
  const Address address_{"ipv4:10.0.0.1:1", "planner"};
  absl::Duration now_ = absl::Seconds(100);
  std::optional<StreamMachine> machine_;
};

TEST_F(StreamMachineTest, AStreamIsOpenedStepByStepAndStartsWithAHeartbeat) {
  const StreamId stream = Connected();
  EXPECT_EQ(Of<OpenCall>(machine().HandshakeDone(stream, "r1", now_)).size(), 1u);
  const Actions started = machine().Started(stream, true, now_);
  EXPECT_EQ(Of<StartRead>(started).size(), 1u);
  EXPECT_THAT(Writes(started), ElementsAre(0));
  const Actions heard = Credit(stream, 3);
  EXPECT_EQ(Of<StreamNote>(heard).at(0).what, "Stream up");
  EXPECT_EQ(Of<DeliverCredits>(heard).at(0).credits, 3u);
  EXPECT_TRUE(std::holds_alternative<StartRead>(heard.back())) << "after the callbacks";
  EXPECT_THAT(Of<StreamNote>(Credit(stream, 0)), IsEmpty());
}

TEST_F(StreamMachineTest, ARequestIsWrittenByItsSenderAndTheNextOneWhenItsWriteIsDone) {
  const StreamId stream = Up(3);
  EXPECT_THAT(Writes(Send(1)), ElementsAre(1));
  EXPECT_THAT(Writes(Send(2)), IsEmpty());
  EXPECT_THAT(Writes(Send(3)), IsEmpty());
  const Actions second = machine().Written(stream, true, now_);
  EXPECT_THAT(Writes(second), ElementsAre(2));
  EXPECT_TRUE(Of<StartWrite>(second).at(0).more);
  const Actions third = machine().Written(stream, true, now_);
  EXPECT_THAT(Writes(third), ElementsAre(3));
  EXPECT_FALSE(Of<StartWrite>(third).at(0).more);
  EXPECT_THAT(machine().Written(stream, true, now_), IsEmpty());
}

TEST_F(StreamMachineTest, SendNeverRunsACallback) {
  options_.max_waiting = 1;
  Send(1);
  EXPECT_THAT(Send(2), IsEmpty());
  EXPECT_LT(machine().due(), now_) << "a Tick must deliver it";
  EXPECT_EQ(machine().InFlight(), 2u);
  const Actions actions = TickAt(now_);
  EXPECT_THAT(Unsent(actions), ElementsAre(2));
  EXPECT_THAT(Of<DeliverLosses>(actions).at(0).why, HasSubstr("too many"));
  EXPECT_EQ(machine().InFlight(), 1u);
}

TEST_F(StreamMachineTest, AnAnswerFreesItsCreditForTheNextRequest) {
  const StreamId stream = Up(1);
  Send(1);
  machine().Written(stream, true, now_);
  EXPECT_THAT(Writes(Send(2)), IsEmpty());
  const Actions actions = Reply(stream, 1);
  EXPECT_EQ(Of<DeliverAnswer>(actions).at(0).answer.sequence, 1u);
  EXPECT_THAT(Writes(actions), ElementsAre(2));
  EXPECT_TRUE(std::holds_alternative<StartWrite>(actions.front())) << "before the callbacks";
}

TEST_F(StreamMachineTest, ATooLargeRequestIsRefusedAndTheStreamGoesOn) {
  const StreamId stream = Up(2);
  Send(1);
  Send(2);
  const Actions actions = machine().TooLarge(stream, 1, "at most 10", now_);
  EXPECT_THAT(Writes(actions), ElementsAre(2));
  EXPECT_THAT(Of<DeliverAnswer>(actions), IsEmpty());
  const auto answers = Of<DeliverAnswer>(TickAt(now_));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(std::get<Refusal>(answers[0].answer.content).message, "at most 10");
  machine().Written(stream, true, now_);
  EXPECT_THAT(Writes(Send(3)), ElementsAre(3)) << "its credit is back";
}

// gRPC holds back a message for which the machine has promised a successor.
TEST_F(StreamMachineTest, ABufferedMessageIsSentEvenIfItsSuccessorIsNot) {
  const StreamId stream = Up(3);
  Send(1);
  Send(2);
  Send(3, now_ + absl::Seconds(1));
  EXPECT_TRUE(Of<StartWrite>(machine().Written(stream, true, now_)).at(0).more);
  EXPECT_THAT(Unsent(TickAt(now_ + absl::Seconds(1))), ElementsAre(3));
  EXPECT_THAT(Writes(machine().Written(stream, true, now_)), ElementsAre(0));
}

TEST_F(StreamMachineTest, AnOverdueRequestIsLostOnceAndItsAnswerIsIgnored) {
  const StreamId stream = Up(1);
  Send(1, now_ + absl::Seconds(1));
  EXPECT_LE(machine().due(), now_ + absl::Seconds(1));
  machine().Written(stream, true, now_);
  EXPECT_THAT(Lost(TickAt(now_ + absl::Seconds(1))), ElementsAre(1));
  EXPECT_THAT(Of<DeliverAnswer>(Reply(stream, 1)), IsEmpty());
  EXPECT_EQ(machine().InFlight(), 0u);
}

TEST_F(StreamMachineTest, HeartbeatsAreRareOnAnIdleStreamAndFrequentOnABusyOne) {
  const StreamId stream = Up(1);
  EXPECT_THAT(Writes(TickAt(now_ + absl::Seconds(4))), IsEmpty());
  EXPECT_THAT(Writes(TickAt(now_ + absl::Seconds(1))), ElementsAre(0));
  machine().Written(stream, true, now_);
  Credit(stream, 0);
  Send(1);
  machine().Written(stream, true, now_);
  EXPECT_LE(machine().due(), now_ + options_.heartbeat_busy);
  EXPECT_THAT(Writes(TickAt(now_ + absl::Milliseconds(499))), IsEmpty());
  EXPECT_THAT(Writes(TickAt(now_ + absl::Milliseconds(1))), ElementsAre(0));
}

TEST_F(StreamMachineTest, ASilentPeerIsCancelledOnceAndConnectedAgainAfterAPause) {
  const StreamId stream = Up(1);
  Send(1);
  machine().Written(stream, true, now_);
  EXPECT_THAT(Of<CancelCalls>(TickAt(now_ + absl::Seconds(9.9))), IsEmpty());
  machine().Written(stream, true, now_);
  EXPECT_EQ(Of<CancelCalls>(TickAt(now_ + absl::Seconds(0.1))).size(), 1u);
  EXPECT_THAT(Of<CancelCalls>(TickAt(now_ + absl::Seconds(10))), IsEmpty());
  EXPECT_EQ(Of<FinishCall>(machine().ReadEnded(stream)).size(), 1u);
  const Actions end = machine().Finished(stream, absl::UnknownError("x"), now_);
  EXPECT_THAT(Lost(end), ElementsAre(1));
  EXPECT_THAT(Of<DeliverLosses>(end).at(0).why, HasSubstr("no message from the peer for 10s"));
  EXPECT_EQ(Of<DeliverCredits>(end).at(0).credits, 0u);
  EXPECT_EQ(Of<Forget>(end).size(), 1u);
  EXPECT_EQ(Of<Connect>(TickAt(machine().due())).size(), 1u) << "it was up for long: no pause";
}

TEST_F(StreamMachineTest, TheStatusIsAskedForAfterTheLastWriteHasCompleted) {
  const StreamId stream = Up(1);
  Send(1);
  EXPECT_THAT(machine().ReadEnded(stream), IsEmpty());
  EXPECT_EQ(Of<FinishCall>(machine().Written(stream, false, now_)).size(), 1u);
  EXPECT_THAT(TickAt(now_ + absl::Seconds(1)), IsEmpty());
}

TEST_F(StreamMachineTest, PausesGrowAndTheSameErrorIsNotedOnce) {
  StreamId stream = Connected();
  for (int failures = 1; failures <= 5; ++failures) {
    const Actions end = machine().Finished(stream, absl::UnavailableError("refused"), now_);
    EXPECT_EQ(Of<StreamNote>(end).size(), failures == 1 ? 1u : 0u);
    EXPECT_THAT(Of<Connect>(machine().Tick(now_)), IsEmpty());
    std::vector<Connect> connects;
    const absl::Duration failed = now_;
    while (connects.empty()) connects = Of<Connect>(TickAt(machine().due()));
    EXPECT_GE(now_ - failed, absl::Milliseconds(75) * (1 << (failures - 1)));
    EXPECT_LE(now_ - failed, absl::Milliseconds(125) * (1 << (failures - 1)));
    EXPECT_NE(connects.at(0).stream, stream);
    stream = connects.at(0).stream;
  }
}

TEST_F(StreamMachineTest, AnOldStreamFinishesItsRequestsAndIsReplaced) {
  options_.max_age = absl::Seconds(5);
  const StreamId stream = Up(2);
  Send(1);
  machine().Written(stream, true, now_);
  TickAt(now_ + absl::Seconds(4));
  machine().Written(stream, true, now_);
  EXPECT_THAT(Of<EndWrites>(TickAt(now_ + absl::Seconds(2))), IsEmpty()) << "it has a request";
  machine().Written(stream, true, now_);
  EXPECT_THAT(Writes(Send(2)), IsEmpty()) << "it takes no new requests";
  EXPECT_EQ(Of<EndWrites>(Reply(stream, 1)).size(), 1u);
  machine().Written(stream, true, now_);
  machine().ReadEnded(stream);
  const Actions end = machine().Finished(stream, absl::OkStatus(), now_);
  EXPECT_FALSE(Of<StreamNote>(end).at(0).warning);
  EXPECT_EQ(Of<Connect>(TickAt(now_)).size(), 1u);
  EXPECT_EQ(machine().InFlight(), 1u);
}

TEST_F(StreamMachineTest, AStreamThatDoesNotDrainIsCancelled) {
  const StreamId stream = Up(1);
  Send(1);
  machine().Written(stream, true, now_);
  Credit(stream, 0);
  machine().SetAddresses({});
  TickAt(now_);
  machine().Written(stream, true, now_);
  for (int second = 1; second < 30; ++second) {
    EXPECT_THAT(Of<CancelCalls>(TickAt(now_ + absl::Seconds(1))), IsEmpty());
    machine().Written(stream, true, now_);
    Credit(stream, 0);
  }
  EXPECT_EQ(Of<CancelCalls>(TickAt(now_ + absl::Seconds(1))).size(), 1u);
}

TEST_F(StreamMachineTest, ADepartedAddressIsNotConnectedAgain) {
  const StreamId stream = Up(1);
  machine().SetAddresses({});
  EXPECT_EQ(Of<EndWrites>(TickAt(now_)).size(), 1u);
  machine().Written(stream, true, now_);
  machine().ReadEnded(stream);
  machine().Finished(stream, absl::OkStatus(), now_);
  EXPECT_THAT(TickAt(now_ + absl::Minutes(1)), IsEmpty());
}

TEST_F(StreamMachineTest, AnAddressThatDepartsDuringTheHandshakeIsForgotten) {
  const StreamId stream = Connected();
  machine().SetAddresses({});
  EXPECT_THAT(TickAt(now_), IsEmpty());
  const Actions actions = machine().HandshakeDone(stream, "r1", now_);
  EXPECT_EQ(Of<Forget>(actions).size(), 1u);
  EXPECT_THAT(Of<OpenCall>(actions), IsEmpty());
}

TEST_F(StreamMachineTest, AnAbortEndsEverythingAndAnswersEachRequest) {
  const StreamId stream = Up(1);
  Send(1);
  machine().Written(stream, true, now_);
  Send(2);
  machine().Close("bye");
  Send(3);
  EXPECT_THAT(Unsent(TickAt(now_)), ElementsAre(2, 3));
  machine().Abort("bye");
  EXPECT_EQ(Of<CancelCalls>(TickAt(now_)).size(), 1u);
  EXPECT_FALSE(machine().Gone());
  machine().ReadEnded(stream);
  EXPECT_THAT(Lost(machine().Finished(stream, absl::UnknownError("x"), now_)), ElementsAre(1));
  EXPECT_TRUE(machine().Gone());
}

TEST_F(StreamMachineTest, ACopyDecidesTheSame) {
  const StreamId stream = Up(1);
  StreamMachine copy = machine();
  const absl::Duration later = now_ + absl::Seconds(11);
  copy.Tick(later);
  copy.ReadEnded(stream);
  copy.Finished(stream, absl::UnknownError("x"), later);
  TickAt(later);
  machine().ReadEnded(stream);
  machine().Finished(stream, absl::UnknownError("x"), later);
  EXPECT_EQ(copy.due(), machine().due());
}

}  // namespace
}  // namespace xebec::rpc
