// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "applier/engine/events/event_body.h"
#include "applier/engine/events/event_queue.h"
#include "applier/engine/events/event_series.h"
#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

Envelope OfReconcile(const std::string& id) {
  Envelope plan = ParentEnvelope();
  plan.reconcile_id = id;
  return plan;
}
/// A plan made by hand.
Envelope Parent() { return OfReconcile(""); }
EventFact Scaled(const std::string& note = "Scaled deployment \"iris\" to 2 replicas") {
  return {EventCondition::kChanged, false, "Scaled", "Apply", note};
}
EventSource Source() { return {"xebec.dev/applier", "pod-1"}; }

TEST(EventBody, SaysWhatHappenedToTheParent) {
  const auto request =
      CreateEventRequest(Parent(), Scaled(), "xebec.dev/applier", "pod-1", At().wall);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/apis/events.k8s.io/v1/namespaces/default/events");
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(FindString(body, {"regarding", "uid"}), "parent-uid");
  EXPECT_EQ(FindString(body, {"regarding", "apiVersion"}), "example.com/v1alpha1");
  EXPECT_EQ(FindString(body, {"reason"}), "Scaled");
  EXPECT_EQ(FindString(body, {"action"}), "Apply");
  EXPECT_EQ(FindString(body, {"type"}), "Normal");
  EXPECT_EQ(FindString(body, {"eventTime"}), "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(FindString(body, {"reportingInstance"}), "pod-1");
  EXPECT_EQ(FindString(body, {"note"}), Scaled().note);
}

TEST(EventBody, NameDependsOnTheParentAndTheFactAloneAndIsBounded) {
  const ParentIdentity parent = Parent().parent;
  EXPECT_EQ(EventName(parent, Scaled()), EventName(OfReconcile("p").parent, Scaled()));
  EXPECT_NE(EventName(parent, Scaled()), EventName(parent, Scaled("x")));
  ParentIdentity other = parent;
  other.uid = "other";
  EXPECT_NE(EventName(parent, Scaled()), EventName(other, Scaled()));
  ParentIdentity longest = parent;
  longest.ref.name = std::string(253, 'a');
  EXPECT_LE(EventName(longest, Scaled()).size(), 253u);
}

TEST(EventBody, ClusterScopedParentsHaveTheirEventsInDefault) {
  ParentIdentity parent = Parent().parent;
  parent.ref.ns.clear();
  parent.ref.type.cluster_scoped = true;
  EXPECT_EQ(EventNamespace(parent), "default");
}

TEST(EventBody, LongAndEmptyFieldsAreMadeFit) {
  EventFact fact = Scaled(std::string(5000, 'n'));
  fact.reason = std::string(300, 'R');
  fact.action = "";
  const Json body = *ParseJson(CreateEventRequest(Parent(), fact, "r", "", At().wall).body);
  EXPECT_EQ(FindString(body, {"reason"}).size(), 128u);
  EXPECT_EQ(FindString(body, {"action"}).size(), 128u);
  EXPECT_LE(FindString(body, {"note"}).size(), 1024u);
  EXPECT_FALSE(FindString(body, {"reportingInstance"}).empty());
}

/// The Events of an API server, by name: enough of it for series.
class FakeEvents {
 public:
  kube::ApiResponse Handle(const EventRequest& event) {
    ++requests;
    const bool create = event.kind == EventRequest::Kind::kCreate;
    if (create && events.contains(event.name)) return StatusAnswer(409, "AlreadyExists", "exists");
    if (!create && !events.contains(event.name)) return StatusAnswer(404, "NotFound", "not found");
    Json& live = events[event.name];
    const Json body = *ParseJson(event.request.body);
    const std::string expected = FindString(body, {"metadata", "resourceVersion"});
    if (!expected.empty() && expected != FindString(live, {"metadata", "resourceVersion"})) {
      return StatusAnswer(409, "Conflict", "the object has been modified");
    }
    live.merge_patch(body);
    if (create || !expected.empty()) Change(event.name);
    kube::ApiResponse response;
    response.status = 200;
    response.body = DumpJson(live);
    return response;
  }
  /// Gives the Event a new version.
  void Change(const std::string& name) {
    events[name]["metadata"]["resourceVersion"] = std::to_string(++version_);
  }
  int64_t Count(const std::string& name) {
    return events.contains(name) ? FindInt(events[name], {"series", "count"}).value_or(1) : 0;
  }
  std::string Reconciles(const std::string& name) {
    return FindString(events[name], {"metadata", "annotations", "xebec.dev/reconcile-ids"});
  }

  std::map<std::string, Json> events;
  size_t requests = 0;

 private:
  int version_ = 0;
};

/// Sends a request and all that follow from its answers.
void Send(EventSeries* series, std::optional<EventRequest> event, FakeEvents* server,
          const Instant& now) {
  while (event) event = series->OnAnswer(*event, server->Handle(*event), now);
}

class EventSeriesTest : public ::testing::Test {
 protected:
  void Record(const Envelope& plan, absl::Duration after, const EventFact& fact = Scaled()) {
    Send(&series_, series_.Record(plan, fact, At(after)), &server_, At(after));
  }
  void Tick(absl::Duration after) {
    for (EventRequest& event : series_.Tick(At(after))) {
      Send(&series_, std::move(event), &server_, At(after));
    }
  }
  int64_t CountOf(const EventFact& fact = Scaled()) {
    return server_.Count(EventName(Parent().parent, fact));
  }
  std::string Reconciles() { return server_.Reconciles(EventName(Parent().parent, Scaled())); }

  FakeEvents server_;
  EventSeries series_{Source()};
};

TEST_F(EventSeriesTest, LaterOccurrencesCountTheFirstUp) {
  Record(Parent(), {});
  EXPECT_EQ(CountOf(), 1);
  Record(Parent(), absl::Minutes(5));
  EXPECT_EQ(CountOf(), 2);
}

TEST_F(EventSeriesTest, PlanThatIsCarriedOutTwiceCountsOnce) {
  Record(OfReconcile("p"), {});
  Record(OfReconcile("p"), absl::Seconds(1));
  EXPECT_EQ(CountOf(), 1);
  Record(OfReconcile("q"), absl::Seconds(2));
  EXPECT_EQ(CountOf(), 2);
}

TEST_F(EventSeriesTest, OtherReasonNoteOrParentIsAnotherEvent) {
  Record(Parent(), {});
  Record(Parent(), {}, Scaled("to 3 replicas"));
  EventFact warning = Scaled();
  warning.warning = true;
  Record(Parent(), {}, warning);
  Envelope other = Parent();
  other.parent.uid = "other";
  Record(other, {});
  EXPECT_EQ(server_.events.size(), 4u);
}

TEST_F(EventSeriesTest, AppliersCountTheSameFactInOneEvent) {
  EventSeries second(Source());
  Record(Parent(), {});
  Send(&second, second.Record(Parent(), Scaled(), At()), &server_, At());
  Record(Parent(), absl::Seconds(40));
  const Instant later = At(absl::Seconds(80));
  Send(&second, second.Record(Parent(), Scaled(), later), &server_, later);
  EXPECT_EQ(server_.events.size(), 1u);
  EXPECT_EQ(CountOf(), 4);
}

TEST_F(EventSeriesTest, AppliersThatCarryOutTheSamePlanCountItOnce) {
  EventSeries second(Source());
  const auto record = [&](const std::string& id, absl::Duration after) {
    Send(&second, second.Record(OfReconcile(id), Scaled(), At(after)), &server_, At(after));
  };
  Record(OfReconcile("p"), {});
  record("p", {});
  EXPECT_EQ(CountOf(), 1);
  record("q", absl::Seconds(40));
  Record(OfReconcile("q"), absl::Seconds(40));
  Record(OfReconcile("r"), absl::Seconds(80));
  EXPECT_EQ(CountOf(), 3);
  EXPECT_EQ(Reconciles(), "p,q,r");
}

TEST_F(EventSeriesTest, ACreationWhoseAnswerIsLostCountsOnce) {
  const auto create = series_.Record(OfReconcile("p"), Scaled(), At());
  ASSERT_TRUE(create);
  server_.Handle(*create);
  Send(&series_, create, &server_, At(absl::Seconds(10)));  // the queue repeats it
  EXPECT_EQ(CountOf(), 1);
  Record(OfReconcile("q"), absl::Seconds(50));
  EXPECT_EQ(CountOf(), 2);
}

TEST_F(EventSeriesTest, ACountWhoseAnswerIsLostCountsOnce) {
  Record(OfReconcile("p"), {});
  const auto learn = series_.Record(OfReconcile("q"), Scaled(), At());
  ASSERT_TRUE(learn);
  const auto count = series_.OnAnswer(*learn, server_.Handle(*learn), At());
  ASSERT_TRUE(count);
  server_.Handle(*count);
  kube::ApiResponse lost;
  lost.error = kube::TransportError::kTimeout;
  EXPECT_FALSE(series_.OnAnswer(*count, lost, At()));
  Record(OfReconcile("r"), absl::Seconds(1));
  Tick(absl::Seconds(40));
  EXPECT_EQ(CountOf(), 3);
  EXPECT_EQ(Reconciles(), "p,q,r");
}

TEST_F(EventSeriesTest, TheEventRecordsTheLatestReconcilesAlone) {
  for (int i = 0; i < 20; ++i) Record(OfReconcile(std::to_string(i)), absl::Seconds(i));
  Tick(absl::Minutes(2));
  EXPECT_EQ(CountOf(), 20);
  EXPECT_EQ(Reconciles(), "12,13,14,15,16,17,18,19");
}

TEST_F(EventSeriesTest, AConflictingCountIsWrittenLater) {
  Record(Parent(), {});
  const auto learn = series_.Record(Parent(), Scaled(), At(absl::Seconds(40)));
  ASSERT_TRUE(learn);
  const auto count = series_.OnAnswer(*learn, server_.Handle(*learn), At(absl::Seconds(40)));
  ASSERT_TRUE(count);
  server_.Change(count->name);  // another applier writes in between
  EXPECT_FALSE(series_.OnAnswer(*count, server_.Handle(*count), At(absl::Seconds(40))));
  EXPECT_EQ(CountOf(), 1);
  Tick(absl::Seconds(80));
  EXPECT_EQ(CountOf(), 2);
}

TEST_F(EventSeriesTest, AnEventThatTheServerHasDeletedIsCreatedAgain) {
  Record(OfReconcile("p"), {});
  server_.events.clear();
  Record(OfReconcile("q"), absl::Minutes(61));
  EXPECT_EQ(CountOf(), 1);
  EXPECT_EQ(Reconciles(), "q");
}

TEST_F(EventSeriesTest, HotSeriesIsWrittenAtMostOnceInItsInterval) {
  for (int i = 0; i < 600; ++i) Record(Parent(), absl::Milliseconds(100 * i));  // for a minute
  EXPECT_LE(server_.requests, 8u);
  Tick(absl::Minutes(2));
  EXPECT_EQ(CountOf(), 600) << "no occurrence is lost";
  Tick(absl::Minutes(10));
  EXPECT_EQ(series_.size(), 0u);
}

TEST(EventSeries, CapacityForgetsTheSeriesWhoseLastOccurrenceIsOldest) {
  EventSeries series(Source(), 2);
  const auto begins = [&](const std::string& note, absl::Duration after) {
    const auto request = series.Record(Parent(), Scaled(note), At(after));
    return request && request->kind == EventRequest::Kind::kCreate;
  };
  EXPECT_TRUE(begins("a", {}));
  EXPECT_TRUE(begins("b", absl::Seconds(1)));
  EXPECT_FALSE(begins("a", absl::Seconds(2)));
  EXPECT_TRUE(begins("c", absl::Seconds(3)));
  EXPECT_EQ(series.size(), 2u);
  EXPECT_FALSE(begins("a", absl::Seconds(4)));
  EXPECT_TRUE(begins("b", absl::Seconds(5)));
}

// The heap of the sanitizers has no such figure: there, nothing is compared.
TEST(EventSeries, ASeriesThatIsWrittenKeepsNoRequest) {
  constexpr size_t kCount = 1000, kLongestNote = 1000;
  EventSeries series(Source());
  const size_t before = mallinfo2().uordblks;
  for (size_t i = 0; i < kCount; ++i) {
    const EventFact fact = Scaled(absl::StrCat(i, std::string(kLongestNote, 'n')));
    const std::optional<EventRequest> request = series.Record(OfReconcile("r"), fact, At());
    ASSERT_TRUE(request.has_value());
    series.OnAnswer(*request, {.status = 201}, At());
  }
  EXPECT_EQ(series.size(), kCount);
  EXPECT_LT(mallinfo2().uordblks, before + kCount * kLongestNote);
}

TEST(EventQueue, IsCrowdedWhenHalfFullAndOverdueAfterItsMaxWait) {
  EventQueue queue(Source(), 4);
  EXPECT_EQ(queue.UrgencyAt(At()), EventQueue::Urgency::kCanWait);
  queue.Add(Parent(), {Scaled("a")}, At());
  EXPECT_EQ(queue.UrgencyAt(At()), EventQueue::Urgency::kCanWait);
  EXPECT_EQ(queue.UrgencyAt(At(EventQueue::kMaxWait)), EventQueue::Urgency::kOverdue);
  queue.Add(Parent(), {Scaled("b")}, At());
  EXPECT_EQ(queue.UrgencyAt(At()), EventQueue::Urgency::kCrowded);
}

TEST(EventQueue, FullQueueDropsTheOldestNormalEventFirst) {
  EventQueue queue(Source(), 2);
  EventFact warning = Scaled("a");
  warning.warning = true;
  queue.Add(Parent(), {warning, Scaled("b"), Scaled("c")}, At());
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.dropped(), 1u);
  EXPECT_EQ(queue.Pop()->name, EventName(Parent().parent, warning));
  EXPECT_EQ(queue.Pop()->name, EventName(Parent().parent, Scaled("c")));
}

TEST(EventQueue, ACreationThatFailedIsRepeatedAFewTimes) {
  EventQueue queue(Source());
  queue.Add(Parent(), {Scaled()}, At());
  absl::Duration now;
  for (int attempt = 1; attempt <= EventQueue::kMaxAttempts; ++attempt) {
    queue.Tick(At(now += EventQueue::kRetryDelay));
    const auto event = queue.Pop();
    ASSERT_TRUE(event) << attempt;
    EXPECT_FALSE(queue.HasNext());
    queue.OnAnswer(*event, StatusAnswer(429, "TooManyRequests", "slow down"), At(now));
  }
  EXPECT_EQ(queue.dropped(), 1u);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EventQueue, AnEventThatTheServerRejectsIsDroppedAtOnce) {
  EventQueue queue(Source());
  queue.Add(Parent(), {Scaled()}, At());
  queue.OnAnswer(*queue.Pop(), StatusAnswer(403, "Forbidden", "no"), At());
  EXPECT_EQ(queue.dropped(), 1u);
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace xebec::applier
