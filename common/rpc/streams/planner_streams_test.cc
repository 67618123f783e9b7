// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/planner_streams.h"

#include <map>
#include <set>

#include "common/rpc/telemetry/metrics_observer.h"
#include "common/rpc/testing/fake_services.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct Heard {
  std::map<uint64_t, std::string> plans;  ///< Sequence and the planner's revision.
  std::map<uint64_t, std::string> failures;
  std::set<uint64_t> unreadable;
  std::map<uint64_t, int> answers;
  std::vector<uint32_t> credits_seen;
  std::set<std::pair<std::string, std::string>> descriptions;  ///< Revision, address.
  bool described_first = true;

  uint32_t capacity() const { return credits_seen.empty() ? 0 : credits_seen.back(); }
};

class PlannerStreamsTest : public testing::Test {
 protected:
  PlannerStreamsTest() {
    options_.name = "planner";
    options_.resolve_interval = absl::Milliseconds(5);
    options_.backoff_min = absl::Milliseconds(5);
    options_.backoff_max = absl::Milliseconds(50);
    options_.credits_per_stream = 8;
  }

  void Start(const std::string& target) {
    options_.target = target;
    auto streams = PlannerStreams::Start(options_, Callbacks());
    ASSERT_TRUE(streams.ok()) << streams.status();
    streams_ = *std::move(streams);
  }

  PlannerCallbacks Callbacks() {
    PlannerCallbacks callbacks;
    callbacks.on_plan = [this](uint64_t sequence, const Plan& plan) {
      EXPECT_EQ(plan.envelope.sequence, sequence);
      heard_.With([&](Heard& heard) {
        heard.plans[sequence] = plan.planner_revision;
        return ++heard.answers[sequence];
      });
    };
    callbacks.on_failed = [this](uint64_t sequence, const std::string& message, bool unreadable) {
      heard_.With([&](Heard& heard) {
        heard.failures[sequence] = message;
        if (unreadable) heard.unreadable.insert(sequence);
        return ++heard.answers[sequence];
      });
    };
    callbacks.on_credits = [this](uint32_t credits) {
      heard_.With([&](Heard& heard) {
        heard.described_first = heard.described_first && !heard.descriptions.empty();
        heard.credits_seen.push_back(credits);
        return 0;
      });
    };
    callbacks.on_description = [this](const PlannerDescription& description,
                                      const std::string& address) {
      heard_.With(
          [&](Heard& heard) { return heard.descriptions.emplace(description.revision, address); });
    };
    return callbacks;
  }

  void Send(uint64_t sequence, absl::Duration timeout = kTestTimeout, std::string revision = "",
            size_t size = 0) {
    Observation observation;
    observation.envelope.sequence = sequence;
    observation.envelope.planner_revision = std::move(revision);
    observation.parent = MakeObjectBytes(R"({"pad":")" + std::string(size, 'x') + "\"}");
    streams_->Send(sequence, std::move(observation), timeout);
  }

  void SendMany(uint64_t from, uint64_t to) {
    for (uint64_t sequence = from; sequence <= to; ++sequence) Send(sequence);
  }

  bool AwaitCredits(uint32_t credits) {
    return heard_.Await([credits](const Heard& heard) { return heard.capacity() == credits; });
  }
  bool AwaitAnswers(size_t count) {
    return heard_.Await([count](const Heard& heard) { return heard.answers.size() >= count; });
  }
  Heard Now() {
    return heard_.With([](Heard& heard) { return heard; });
  }
  void ExpectEachAnsweredOnce(size_t count) {
    const Heard heard = Now();
    EXPECT_EQ(heard.answers.size(), count);
    for (const auto& [sequence, answers] : heard.answers) EXPECT_EQ(answers, 1) << sequence;
  }

  Watched<Heard> heard_;
  StreamOptions options_;
  std::unique_ptr<PlannerStreams> streams_;
};

TEST_F(PlannerStreamsTest, EveryObservationGetsItsPlan) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  SendMany(1, 500);
  ASSERT_TRUE(AwaitAnswers(500));
  EXPECT_EQ(Now().plans.size(), 500u);
  EXPECT_TRUE(Now().described_first);
  EXPECT_THAT(Now().descriptions, Contains(std::make_pair(std::string("r1"), host.address().uri)));
  streams_->Stop(kTestTimeout);
  ExpectEachAnsweredOnce(500);
  EXPECT_EQ(streams_->InFlight(), 0u);
}

TEST_F(PlannerStreamsTest, AnObservationSentBeforeAnyPlannerIsThereWaitsForIt) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  host.Kill();
  Start(host.target());
  Send(1);
  host.Start();
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_EQ(Now().plans.count(1), 1u);
}

TEST_F(PlannerStreamsTest,
       AnObservationWithoutAnAnswerInTimeFailsAndItsCreditReturnsWithTheAnswer) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  planner.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  Send(1, absl::Milliseconds(50));
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_THAT(Now().failures[1], HasSubstr("timeout"));
  EXPECT_EQ(Now().unreadable.size(), 0u);
  ASSERT_TRUE(AwaitCredits(15));
  ASSERT_TRUE(planner.AwaitReceived(1));
  planner.Release();
  ASSERT_TRUE(AwaitCredits(16));
  ExpectEachAnsweredOnce(1);
}

TEST_F(PlannerStreamsTest, APlannerKilledInTheMiddleFailsWhatItHadAndIsFoundAgain) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  planner.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  SendMany(1, 16);
  ASSERT_TRUE(planner.AwaitReceived(16));
  host.Kill();
  ASSERT_TRUE(AwaitAnswers(16));
  EXPECT_EQ(Now().failures.size(), 16u);
  EXPECT_THAT(Now().failures[1], HasSubstr("connection"));
  ASSERT_TRUE(AwaitCredits(0));
  planner.SetManner(Manner::kAnswer);
  host.Start();
  ASSERT_TRUE(AwaitCredits(16));
  SendMany(17, 40);
  ASSERT_TRUE(AwaitAnswers(40));
  EXPECT_EQ(Now().plans.size(), 24u);
  ExpectEachAnsweredOnce(40);
}

TEST_F(PlannerStreamsTest, ASilentPeerIsGivenUp) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  options_.heartbeat_busy = absl::Milliseconds(10);
  options_.heartbeat_idle = absl::Milliseconds(20);
  options_.peer_timeout = absl::Milliseconds(200);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  planner.SetManner(Manner::kMute);
  Send(1);
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_THAT(Now().failures[1], HasSubstr("no message from the peer"));
  planner.SetManner(Manner::kAnswer);
  ASSERT_TRUE(AwaitCredits(16));
  Send(2);
  ASSERT_TRUE(AwaitAnswers(2));
}

TEST_F(PlannerStreamsTest, HeartbeatsKeepASlowButLivingPeer) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  options_.streams_per_address = 1;
  options_.heartbeat_busy = absl::Milliseconds(10);
  options_.peer_timeout = absl::Milliseconds(500);
  planner.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(8));
  Send(1);
  Send(2, absl::Seconds(1));
  ASSERT_TRUE(AwaitAnswers(1)) << "the second is overdue, twice the peer timeout later";
  planner.Release();
  ASSERT_TRUE(AwaitAnswers(2));
  EXPECT_EQ(Now().plans.count(1), 1u);
  EXPECT_EQ(planner.streams(), 1u);
}

TEST_F(PlannerStreamsTest, AnUnreadableObservationIsToldAsSuchAndTheStreamLivesOn) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  planner.SetManner(Manner::kRefuse);
  options_.max_message_bytes = 10'000;
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  Send(1);
  Send(2, kTestTimeout, "", 20'000);
  ASSERT_TRUE(AwaitAnswers(2));
  EXPECT_EQ(Now().failures[1], "observation.parent: missing");
  EXPECT_THAT(Now().failures[2], HasSubstr("at most 10000"));
  EXPECT_EQ(Now().unreadable, (std::set<uint64_t>{1, 2}));
  ASSERT_TRUE(AwaitCredits(16));
  EXPECT_EQ(planner.streams(), 2u);
}

TEST_F(PlannerStreamsTest, ObservationsAreSpreadOverAllAddresses) {
  FakePlanner one("r1"), two("r1");
  FakeHost first(SocketPath("one"), &one), second(SocketPath("two"), &two);
  one.SetManner(Manner::kHold);
  two.SetManner(Manner::kHold);
  Start(first.target() + "," + second.target());
  ASSERT_TRUE(AwaitCredits(32));
  SendMany(1, 32);
  ASSERT_TRUE(one.AwaitReceived(16));
  ASSERT_TRUE(two.AwaitReceived(16));
  one.Release();
  two.Release();
  ASSERT_TRUE(AwaitAnswers(32));
  ExpectEachAnsweredOnce(32);
}

TEST_F(PlannerStreamsTest, ADepartedAddressFinishesItsWorkAndGetsNoMore) {
  FakePlanner one("r1"), two("r1");
  FakeHost first(SocketPath("one"), &one), second(SocketPath("two"), &two);
  Watched<std::vector<Address>> dns;
  dns.With([&](auto& all) { return all = {first.address(), second.address()}; });
  options_.resolve = [&](const Target&) -> absl::StatusOr<std::vector<Address>> {
    return dns.With([](auto& all) { return all; });
  };
  one.SetManner(Manner::kHold);
  Start("planner.test:1");
  ASSERT_TRUE(AwaitCredits(32));
  SendMany(1, 32);
  ASSERT_TRUE(one.AwaitReceived(1));
  ASSERT_TRUE(heard_.Await([&](const Heard& heard) { return heard.plans.size() >= 16; }));
  dns.With([&](auto& all) { return all = {second.address()}; });
  ASSERT_TRUE(heard_.Await([](const Heard& heard) { return heard.capacity() <= 16 + 16; }));
  one.SetManner(Manner::kAnswer);  // also what is still on its way
  one.Release();
  ASSERT_TRUE(AwaitAnswers(32));
  EXPECT_EQ(Now().failures.size(), 0u);
  ASSERT_TRUE(AwaitCredits(16));
  const size_t before = one.received();
  SendMany(33, 100);
  ASSERT_TRUE(AwaitAnswers(100));
  EXPECT_EQ(one.received(), before);
  streams_->Stop(kTestTimeout);
}

TEST_F(PlannerStreamsTest, ObservationsGoToThePlannerOfTheirRevision) {
  FakePlanner old_one("old"), new_one("new");
  FakeHost first(SocketPath("old"), &old_one), second(SocketPath("new"), &new_one);
  Start(first.target() + "," + second.target());
  ASSERT_TRUE(AwaitCredits(32));
  for (uint64_t s = 1; s <= 50; ++s) Send(s, kTestTimeout, "new");
  Send(51, kTestTimeout, "older still");
  ASSERT_TRUE(AwaitAnswers(51));
  const Heard heard = Now();
  for (uint64_t s = 1; s <= 50; ++s) EXPECT_EQ(heard.plans.at(s), "new");
  EXPECT_EQ(heard.plans.count(51), 1u);
  EXPECT_EQ(heard.descriptions.size(), 2u);
}

TEST_F(PlannerStreamsTest, AgedConnectionsAreRenewedWithoutLosingAnything) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  options_.max_age = absl::Milliseconds(30);
  Start(host.target());
  uint64_t sent = 0;
  while (planner.streams() < 12) {
    SendMany(sent + 1, sent + 10);
    sent += 10;
    ASSERT_TRUE(AwaitAnswers(sent));
  }
  EXPECT_EQ(Now().failures.size(), 0u);
  ExpectEachAnsweredOnce(sent);
}

TEST_F(PlannerStreamsTest, StopAnswersEverything) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  planner.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  SendMany(1, 40);
  ASSERT_TRUE(planner.AwaitReceived(16));
  streams_->Stop(absl::Milliseconds(10));
  ExpectEachAnsweredOnce(40);
  EXPECT_EQ(Now().failures.size(), 40u);
  EXPECT_EQ(Now().capacity(), 0u);
}

TEST_F(PlannerStreamsTest, StopWaitsForWhatIsInFlight) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  planner.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(16));
  SendMany(1, 5);
  ASSERT_TRUE(planner.AwaitReceived(5));
  std::thread release([&] { planner.Release(); });
  streams_->Stop(kTestTimeout);
  release.join();
  EXPECT_EQ(Now().plans.size(), 5u);
}

TEST_F(PlannerStreamsTest, TooManyWaitingObservationsFailAtOnce) {
  options_.max_waiting = 3;
  Start("unix:" + SocketPath("nobody"));
  SendMany(1, 5);
  ASSERT_TRUE(AwaitAnswers(2));
  EXPECT_THAT(Now().failures[5], HasSubstr("too many"));
  EXPECT_EQ(streams_->InFlight(), 3u);
  streams_->Stop(absl::ZeroDuration());
  ExpectEachAnsweredOnce(5);
}

TEST_F(PlannerStreamsTest, AFailingLookUpIsToldOnceAndKeepsWhatWasKnown) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  Watched<int> calls;
  Watched<std::vector<StreamNote>> notes;
  options_.resolve = [&](const Target&) -> absl::StatusOr<std::vector<Address>> {
    if (calls.With([](int& n) { return ++n; }) > 1) return absl::UnavailableError("no such name");
    return std::vector<Address>{host.address()};
  };
  options_.on_note = [&](const StreamNote& note) {
    if (note.warning) notes.With([&](auto& all) { return all.push_back(note), 0; });
  };
  Start("planner.test:1");
  ASSERT_TRUE(calls.Await([](int n) { return n > 5; }));
  ASSERT_TRUE(AwaitCredits(16));
  Send(1);
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_EQ(Now().plans.size(), 1u);
  streams_->Stop(kTestTimeout);
  const auto all = notes.With([](auto& list) { return list; });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].what, "Could not resolve");
}

TEST_F(PlannerStreamsTest, CallsAreCounted) {
  FakePlanner planner("r1");
  FakeHost host(SocketPath("p"), &planner);
  telemetry::Registry registry;
  options_.observer = MetricsObserver(&registry);
  options_.streams_per_address = 1;
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(8));
  SendMany(1, 3);
  ASSERT_TRUE(AwaitAnswers(3));
  streams_->Stop(kTestTimeout);
  const std::string scrape = registry.Scrape();
  const std::string unary =
      R"(grpc_method="DescribeKinds",grpc_service="xebec.v1.PlannerService",grpc_type="unary"})";
  const std::string stream =
      R"(grpc_method="PlanStream",grpc_service="xebec.v1.PlannerService",grpc_type="bidi_stream"})";
  for (const char* what : {"started", "msg_sent", "msg_received"}) {
    EXPECT_THAT(scrape, HasSubstr("grpc_client_" + std::string(what) + "_total{" + unary + " 1"));
  }
  EXPECT_THAT(scrape, HasSubstr("grpc_client_started_total{" + stream + " 1"));
  EXPECT_THAT(scrape, HasSubstr("grpc_client_msg_sent_total{" + stream + " 4")) << "a heartbeat";
  EXPECT_THAT(scrape, HasSubstr("grpc_client_msg_received_total{" + stream + " 4"));
  EXPECT_THAT(scrape, HasSubstr("grpc_client_handled_total{grpc_code=\"OK\"," + unary + " 1"));
  EXPECT_THAT(scrape, HasSubstr("grpc_client_handled_total{grpc_code=\"Canceled\"," + stream));
  EXPECT_THAT(scrape, HasSubstr("grpc_client_handling_seconds_count{" + stream + " 1"));
}

TEST_F(PlannerStreamsTest, ATargetThatCannotBeReadIsRefused) {
  options_.target = "nonsense";
  const auto streams = PlannerStreams::Start(options_, Callbacks());
  EXPECT_EQ(streams.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xebec::rpc
