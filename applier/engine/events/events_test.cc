// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_body.h"
#include "applier/engine/events/event_queue.h"
#include "applier/engine/events/event_series.h"
#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

Envelope OfPass(const std::string& pass) {
  Envelope plan = ParentEnvelope();
  plan.reconcile_id = pass;
  return plan;
}
/// A plan made by hand.
Envelope Parent() { return OfPass(""); }
EventFact Scaled(const std::string& note = "Scaled deployment \"iris\" to 2 replicas") {
  return {EventCondition::kChanged, false, "Scaled", "Apply", note};
}
EventSource Source() { return {"xebec.dev/applier", "pod-1"}; }

std::string Method(const std::vector<EventRequest>& requests) {
  return requests.size() == 1 ? requests[0].request.method : "";
}
int64_t Count(const EventRequest& event) {
  return FindInt(*ParseJson(event.request.body), {"series", "count"}).value_or(0);
}

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

TEST(EventBody, NameIsTheSameForTheSameOccurrenceAndBounded) {
  EXPECT_EQ(EventName(Parent(), Scaled(), At().wall), EventName(Parent(), Scaled(), At().wall));
  EXPECT_NE(EventName(Parent(), Scaled(), At().wall),
            EventName(Parent(), Scaled(), At(absl::Microseconds(1)).wall));
  EXPECT_NE(EventName(Parent(), Scaled(), At().wall), EventName(Parent(), Scaled("x"), At().wall));
  Envelope longest = Parent();
  longest.parent.ref.name = std::string(253, 'a');
  EXPECT_LE(EventName(longest, Scaled(), At().wall).size(), 253u);
}

TEST(EventBody, NameIsTheSameWhoeverCarriesAPlanOutAndWhenever) {
  EXPECT_EQ(EventName(OfPass("p"), Scaled(), At().wall),
            EventName(OfPass("p"), Scaled(), At(absl::Seconds(3)).wall));
  EXPECT_NE(EventName(OfPass("p"), Scaled(), At().wall),
            EventName(OfPass("q"), Scaled(), At().wall));
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

TEST(EventSeries, SecondOccurrenceWithinSixMinutesCountsTheFirstUp) {
  EventSeries series(Source());
  const auto first = series.Record(Parent(), Scaled(), At());
  EXPECT_EQ(Method(first), "POST");
  const auto second = series.Record(Parent(), Scaled(), At(absl::Minutes(5)));
  ASSERT_EQ(Method(second), "PATCH");
  EXPECT_EQ(second[0].name, first[0].name);
  EXPECT_EQ(Count(second[0]), 2);
  EXPECT_EQ(Method(series.Record(Parent(), Scaled(), At(absl::Minutes(11)))), "POST");
}

TEST(EventSeries, PlanThatIsCarriedOutTwiceEarnsItsEventOnce) {
  EventSeries series(Source());
  EXPECT_EQ(Method(series.Record(OfPass("p"), Scaled(), At())), "POST");
  EXPECT_TRUE(series.Record(OfPass("p"), Scaled(), At(absl::Seconds(1))).empty());
  const auto next = series.Record(OfPass("q"), Scaled(), At(absl::Seconds(2)));
  ASSERT_EQ(Method(next), "PATCH");
  EXPECT_EQ(Count(next[0]), 2);
}

TEST(EventSeries, OtherReasonNoteOrParentIsAnotherSeries) {
  EventSeries series(Source());
  series.Record(Parent(), Scaled(), At());
  EXPECT_EQ(Method(series.Record(Parent(), Scaled("to 3 replicas"), At())), "POST");
  EventFact warning = Scaled();
  warning.warning = true;
  EXPECT_EQ(Method(series.Record(Parent(), warning, At())), "POST");
  Envelope other = Parent();
  other.parent.uid = "other";
  EXPECT_EQ(Method(series.Record(other, Scaled(), At())), "POST");
}

TEST(EventSeries, HotSeriesIsWrittenAtMostOnceInItsInterval) {
  EventSeries series(Source());
  size_t requests = 0;
  int64_t last_count = 0;
  for (int i = 0; i < 600; ++i) {  // ten a second for a minute
    for (const auto& event : series.Record(Parent(), Scaled(), At(absl::Milliseconds(100 * i)))) {
      ++requests;
      last_count = Count(event);
    }
  }
  EXPECT_LE(requests, 4u);
  for (const auto& event : series.Tick(At(absl::Minutes(10)))) last_count = Count(event);
  EXPECT_EQ(last_count, 600) << "no occurrence is forgotten in the end";
  EXPECT_EQ(series.size(), 0u);
}

TEST(EventSeries, ForgottenEventIsPublishedAnew) {
  EventSeries series(Source());
  const auto first = series.Record(Parent(), Scaled(), At());
  series.Forget(first[0].name);
  EXPECT_EQ(Method(series.Record(Parent(), Scaled(), At(absl::Seconds(1)))), "POST");
}

TEST(EventSeries, CapacityForgetsTheSeriesSeenLongestAgo) {
  EventSeries series(Source(), 2);
  series.Record(Parent(), Scaled("a"), At());
  series.Record(Parent(), Scaled("b"), At(absl::Seconds(1)));
  series.Record(Parent(), Scaled("c"), At(absl::Seconds(2)));
  EXPECT_EQ(series.size(), 2u);
  EXPECT_EQ(Method(series.Record(Parent(), Scaled("b"), At(absl::Seconds(3)))), "PATCH");
  EXPECT_EQ(Method(series.Record(Parent(), Scaled("a"), At(absl::Seconds(3)))), "POST");
}

TEST(EventQueue, FullQueueDropsAndCounts) {
  EventQueue queue(Source(), 2);
  queue.Add(Parent(), {Scaled("a"), Scaled("b"), Scaled("c")}, At());
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.dropped(), 1u);
}

TEST(EventQueue, EventThatTheServerDidNotTakeIsForgotten) {
  EventQueue queue(Source());
  queue.Add(Parent(), {Scaled()}, At());
  const auto first = queue.Pop();
  ASSERT_TRUE(first);
  EXPECT_FALSE(queue.Pop());
  queue.OnAnswer(first->name, StatusAnswer(429, "TooManyRequests", "slow down"));
  EXPECT_EQ(queue.dropped(), 1u);
  queue.Add(Parent(), {Scaled()}, At(absl::Seconds(1)));
  EXPECT_EQ(queue.Pop()->request.method, "POST");
}

}  // namespace
}  // namespace xebec::applier
