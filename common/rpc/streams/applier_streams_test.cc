// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/applier_streams.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/rpc/streams/applier_protocol.h"
#include "common/rpc/streams/stream_loop.h"
#include "common/rpc/testing/fake_services.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::HasSubstr;

struct Heard {
  std::map<uint64_t, Report> reports;
  std::map<uint64_t, std::string> unreadable;
  std::set<uint64_t> lost;
  std::map<uint64_t, int> answers;
  uint32_t capacity = 0;
  uint32_t most_credits = 0;
};

class ApplierStreamsTest : public testing::Test {
 protected:
  ApplierStreamsTest() {
    options_.name = "applier";
    options_.backoff_min = absl::Milliseconds(5);
    options_.backoff_max = absl::Milliseconds(50);
  }

  void Start(const std::string& target) {
    options_.target = target;
    auto streams = ApplierStreams::Start(options_, Callbacks());
    ASSERT_TRUE(streams.ok()) << streams.status();
    streams_ = *std::move(streams);
  }

  ApplierCallbacks Callbacks() {
    ApplierCallbacks callbacks;
    callbacks.on_report = [this](uint64_t sequence, const Report& report) {
      heard_.With([&](Heard& heard) {
        heard.reports[sequence] = report;
        return ++heard.answers[sequence];
      });
    };
    callbacks.on_unreadable = [this](uint64_t sequence, const std::string& message) {
      heard_.With([&](Heard& heard) {
        heard.unreadable[sequence] = message;
        return ++heard.answers[sequence];
      });
    };
    callbacks.on_lost = [this](uint64_t sequence) {
      heard_.With([&](Heard& heard) {
        heard.lost.insert(sequence);
        return ++heard.answers[sequence];
      });
    };
    callbacks.on_credits = [this](uint32_t credits) {
      heard_.With([&](Heard& heard) {
        heard.most_credits = std::max(heard.most_credits, credits);
        return heard.capacity = credits;
      });
    };
    return callbacks;
  }

  void Send(uint64_t sequence, absl::Duration timeout = kTestTimeout) {
    Plan plan;
    plan.envelope.sequence = sequence;
    Operation operation;
    operation.id = "delete Pod default/x";
    operation.action = Delete{};
    plan.stages.push_back({"delete", {operation}});
    streams_->Send(sequence, std::make_shared<const Plan>(std::move(plan)), timeout);
  }
  void SendMany(uint64_t from, uint64_t to) {
    for (uint64_t sequence = from; sequence <= to; ++sequence) Send(sequence);
  }

  bool AwaitCredits(uint32_t credits) {
    return heard_.Await([credits](const Heard& heard) { return heard.capacity == credits; });
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
  Watched<std::vector<std::string>> notes_;
  StreamOptions options_;
  std::unique_ptr<ApplierStreams> streams_;
};

TEST_F(ApplierStreamsTest, EveryPlanGetsItsReportInTheOrderOfEachStream) {
  FakeApplier applier(5);
  FakeHost host(SocketPath("a"), &applier);
  Start(host.target());
  SendMany(1, 500);
  ASSERT_TRUE(AwaitAnswers(500));
  EXPECT_EQ(Now().reports.size(), 500u);
  EXPECT_TRUE(applier.in_order());
  EXPECT_TRUE(applier.capable());
  EXPECT_LE(applier.most_at_once(), 5u);
  EXPECT_EQ(Now().most_credits, 10u);
  ExpectEachAnsweredOnce(500);
}

TEST_F(ApplierStreamsTest, NoStreamCarriesMoreThanItsCredits) {
  FakeApplier applier(2);
  FakeHost host(SocketPath("a"), &applier);
  applier.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(4));
  SendMany(1, 20);
  for (size_t done = 1; done <= 20; ++done) {
    ASSERT_TRUE(applier.AwaitReceived(std::min<size_t>(20, done + 3)));
    EXPECT_LE(applier.most_at_once(), 2u);
    applier.ReleaseOne();
    ASSERT_TRUE(AwaitAnswers(done));
  }
  EXPECT_TRUE(applier.in_order());
}

TEST_F(ApplierStreamsTest, WhatWasSentIsLostWithItsApplierAndWhatWaitedIsNot) {
  FakeApplier applier(2);
  FakeHost host(SocketPath("a"), &applier);
  applier.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(4));
  SendMany(1, 6);
  ASSERT_TRUE(applier.AwaitReceived(4));
  host.Kill();
  ASSERT_TRUE(AwaitAnswers(4));
  EXPECT_EQ(Now().lost, (std::set<uint64_t>{1, 2, 3, 4}));
  ASSERT_TRUE(AwaitCredits(0));
  applier.SetManner(Manner::kAnswer);
  host.Start();
  ASSERT_TRUE(AwaitAnswers(6));
  EXPECT_EQ(Now().reports.count(5) + Now().reports.count(6), 2u);
  ExpectEachAnsweredOnce(6);
}

TEST_F(ApplierStreamsTest, APlanThatWasNeverSentIsReportedAsNotStarted) {
  Start("unix:" + SocketPath("nobody"));
  Send(1, absl::Milliseconds(20));
  ASSERT_TRUE(AwaitAnswers(1));
  const Report report = Now().reports.at(1);
  ASSERT_EQ(report.outcomes.size(), 1u);
  EXPECT_EQ(report.envelope.sequence, 1u);
  EXPECT_EQ(report.outcomes[0].operation, "delete Pod default/x");
  EXPECT_EQ(report.outcomes[0].code, OutcomeCode::kNotStarted);
  EXPECT_EQ(report.outcomes[0].certainty, Certainty::kRejected);
  EXPECT_THAT(report.outcomes[0].message, HasSubstr("timeout"));
}

TEST_F(ApplierStreamsTest, AnOverduePlanThatWasSentIsLost) {
  FakeApplier applier(2);
  FakeHost host(SocketPath("a"), &applier);
  applier.SetManner(Manner::kHold);
  Start(host.target());
  ASSERT_TRUE(AwaitCredits(4));
  Send(1, absl::Milliseconds(100));
  ASSERT_TRUE(applier.AwaitReceived(1));
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_EQ(Now().lost, std::set<uint64_t>{1});
  ASSERT_TRUE(AwaitCredits(3));
  applier.ReleaseOne();
  ASSERT_TRUE(AwaitCredits(4));
  ExpectEachAnsweredOnce(1);
}

TEST_F(ApplierStreamsTest, APlanThatTheApplierCannotReadIsToldAsSuch) {
  FakeApplier applier(2);
  FakeHost host(SocketPath("a"), &applier);
  applier.SetManner(Manner::kRefuse);
  Start(host.target());
  Send(1);
  ASSERT_TRUE(AwaitAnswers(1));
  EXPECT_EQ(Now().unreadable.at(1), "plan.stages[0]: missing");
}

TEST_F(ApplierStreamsTest, AnApplierWithoutCreditsGetsNothing) {
  FakeApplier stingy(0), generous(1);
  FakeHost first(SocketPath("s"), &stingy), second(SocketPath("g"), &generous);
  Start(first.target() + "," + second.target());
  SendMany(1, 20);
  ASSERT_TRUE(AwaitAnswers(20));
  EXPECT_EQ(stingy.most_at_once(), 0u);
  EXPECT_EQ(Now().reports.size(), 20u);
}

// It answers faster than the other one and has its credits back at once.
TEST_F(ApplierStreamsTest, AnApplierThatRefusesEverythingDoesNotAttractThePlans) {
  FakeApplier sick(5), healthy(5);
  FakeHost first(SocketPath("s"), &sick), second(SocketPath("h"), &healthy);
  sick.SetManner(Manner::kUnavailable);
  options_.on_note = [this](const StreamNote& note) {
    notes_.With([&](std::vector<std::string>& all) {
      all.push_back(note.what + " " + note.detail);
      return 0;
    });
  };
  Start(first.target() + "," + second.target());
  ASSERT_TRUE(AwaitCredits(20));
  SendMany(1, 1000);
  ASSERT_TRUE(AwaitAnswers(1000));
  EXPECT_LE(sick.received(), 15u) << "more than were under way before the ejection";
  EXPECT_TRUE(notes_.Await([](const std::vector<std::string>& all) {
    return std::count(all.begin(), all.end(), "Peer ejected LeaseUnreadable: ") == 1;
  }));
  ExpectEachAnsweredOnce(1000);
}

TEST_F(ApplierStreamsTest, TheOnlyApplierIsUsedEvenIfItRefusesEverything) {
  FakeApplier sick(5);
  FakeHost host(SocketPath("s"), &sick);
  sick.SetManner(Manner::kUnavailable);
  Start(host.target());
  SendMany(1, 100);
  ASSERT_TRUE(AwaitAnswers(100));
  EXPECT_EQ(sick.received(), 100u);
}

TEST_F(ApplierStreamsTest, PoolsThatShareALoopLiveAndEndOnTheirOwn) {
  FakeApplier applier(5);
  FakeHost host(SocketPath("a"), &applier);
  options_.loop = std::make_shared<StreamLoop>();
  Start(host.target());
  {
    ApplierCallbacks callbacks = Callbacks();
    callbacks.on_credits = [](uint32_t) {};
    const auto other = ApplierStreams::Start(options_, callbacks);
    ASSERT_TRUE(other.ok()) << other.status();
    Plan plan;
    plan.envelope.sequence = 1;
    (*other)->Send(1, std::make_shared<const Plan>(std::move(plan)), kTestTimeout);
    ASSERT_TRUE(AwaitAnswers(1));
  }
  SendMany(2, 100);
  ASSERT_TRUE(AwaitAnswers(100));
  streams_->Stop(kTestTimeout);
  ExpectEachAnsweredOnce(100);
}

TEST(NotStartedReport, NamesEveryOperationAndTheStatusWrite) {
  Plan plan;
  plan.envelope.parent.ref.name = "web";
  plan.stages.resize(2);
  plan.stages[0].operations.resize(2);
  plan.stages[1].operations.resize(1);
  plan.status.emplace();
  const Report report = NotStartedReport(plan, "why");
  ASSERT_EQ(report.outcomes.size(), 4u);
  EXPECT_EQ(report.outcomes[3].operation, kStatusOperation);
  EXPECT_EQ(report.outcomes[3].target.name, "web");
  EXPECT_EQ(report.outcomes[3].message, "why");
}

}  // namespace
}  // namespace xebec::rpc
