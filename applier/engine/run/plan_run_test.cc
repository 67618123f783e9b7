// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/run/plan_run.h"

#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "applier/engine/testing/drive.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/model/fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum OutcomeCode;

TEST(PlanRun, NewParentTakesTwoRequests) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kCreated, kChanged));
  EXPECT_EQ(driven.requests, 2u);
  EXPECT_EQ(Applied(server), "True/Applied");
  EXPECT_THAT(Reasons(driven.events), ElementsAre("Created", "Ready"));
}

TEST(PlanRun, SuccessfulOutcomeSaysWhatWasMade) {
  FakeApiServer server = ServerWithParent();
  const Driven driven = Drive(MakePlan({{CreateOp(ConfigMap("a"))}}), &server);
  const Outcome& outcome = driven.report.outcomes.at(0);
  const Json& made = *server.Get(PathOf("a"));
  EXPECT_EQ(outcome.certainty, Certainty::kDone);
  EXPECT_EQ(outcome.http_status, 201);
  EXPECT_EQ(outcome.uid, FindString(made, {"metadata", "uid"}));
  EXPECT_EQ(outcome.resource_version, FindString(made, {"metadata", "resourceVersion"}));
  EXPECT_THAT(outcome.digest, HasSubstr("v1:"));
  EXPECT_TRUE(outcome.as_desired);
  EXPECT_EQ(outcome.result_digest, "");
}

/// The outcome of a creation whose answer a webhook has changed.
Outcome CreatedWith(const std::function<void(Json&)>& webhook, Json* answer) {
  FakeApiServer server = ServerWithParent();
  PlanRun run(MakePlan({{CreateOp(ConfigMap("a"))}}), {}, "");
  const RunRequest create = run.Next(At()).at(0);
  kube::ApiResponse response = server.Handle(create.request);
  *answer = *ParseJson(response.body);
  webhook(*answer);
  response.body = DumpJson(*answer);
  run.On(create.id, response, At());
  EXPECT_TRUE(run.Done());
  return run.TakeReport().outcomes.at(0);
}

TEST(PlanRun, OutcomeSaysThatTheServerStoresOtherValues) {
  Json answer;
  const Outcome outcome = CreatedWith([](Json& made) { made["data"]["key"] = "theirs"; }, &answer);
  EXPECT_EQ(outcome.code, OutcomeCode::kCreated);
  EXPECT_FALSE(outcome.as_desired);
  EXPECT_EQ(outcome.result_digest, FieldsDigest(answer, ConfigMap("a")));
}

TEST(PlanRun, OutcomeOfAnAnswerWithoutTheStampHasTheDigestOfItsFields) {
  Json answer;
  const Outcome outcome =
      CreatedWith([](Json& made) { made["metadata"].erase("annotations"); }, &answer);
  EXPECT_TRUE(outcome.as_desired);
  EXPECT_EQ(outcome.result_digest, FieldsDigest(answer, ConfigMap("a")));
}

TEST(PlanRun, UpdateThatChangesNothingIsToldByTheObservedVersion) {
  FakeApiServer server = ServerWithParent();
  Drive(MakePlan({{CreateOp(ConfigMap("a"))}}), &server);
  const std::string uid = FindString(*server.Get(PathOf("a")), {"metadata", "uid"});
  Drive(MakePlan({{UpdateOp(ConfigMap("a"), uid, "")}}), &server);  // from now on owned by applies
  const std::string version = FindString(*server.Get(PathOf("a")), {"metadata", "resourceVersion"});
  Driven driven = Drive(MakePlan({{UpdateOp(ConfigMap("a"), uid, version)}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kUnchanged));
  EXPECT_THAT(driven.events, IsEmpty());
  driven = Drive(MakePlan({{UpdateOp(ConfigMap("a", "new"), uid, version)}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_THAT(Reasons(driven.events), ElementsAre("Changed"));
}

TEST(PlanRun, StagesRunInOrderAndStopAfterAFailure) {
  FakeApiServer server = ServerWithParent();
  server.full_collections = {"configmaps"};
  Plan plan = MakePlan({{SecretOp("s"), CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kCreated, kQuotaExceeded, kNotStarted, kChanged));
  EXPECT_EQ(Applied(server), "False/QuotaExceeded");
  EXPECT_EQ(server.Get(PathOf("b")), nullptr);
}

TEST(PlanRun, OperationsOfAStageAreSentAtOnceWithinTheWritesAllowed) {
  PlanRun run(
      MakePlan({{CreateOp(ConfigMap("a")), CreateOp(ConfigMap("b")), CreateOp(ConfigMap("c"))}}),
      {}, "");
  int left = 2;
  const auto take = [&left](const RequestClass&) { return left-- > 0; };
  EXPECT_EQ(run.Next(At(), take).size(), 2u);
  EXPECT_EQ(run.Next(At(), take).size(), 0u);
  EXPECT_EQ(run.Next(At()).size(), 1u);
  EXPECT_FALSE(run.Done());
}

TEST(PlanRun, ObjectOfTheSameParentIsAppliedByItsUidWithoutCreatedEvent) {
  FakeApiServer server = ServerWithParent();
  server.Put(PathOf("a"), ConfigMap("a", "old"));
  const Driven driven = Drive(MakePlan({{CreateOp(ConfigMap("a"))}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kChanged));
  EXPECT_EQ(driven.requests, 3u);
  EXPECT_THAT(driven.events, IsEmpty());
  EXPECT_EQ(FindString(*server.Get(PathOf("a")), {"data", "key"}), "v");
}

TEST(PlanRun, ForeignObjectIsLeftAloneAndItsHolderNamed) {
  FakeApiServer server = ServerWithParent();
  Json foreign = ConfigMap("a", "foreign");
  foreign["metadata"]["ownerReferences"][0]["uid"] = "other-uid";
  foreign["metadata"]["ownerReferences"][0]["name"] = "other";
  const std::string uid = FindString(server.Put(PathOf("a"), foreign), {"metadata", "uid"});
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kNameConflict, kChanged));
  const Outcome& outcome = driven.report.outcomes[0];
  EXPECT_EQ(outcome.uid, uid);
  EXPECT_EQ(outcome.holder_uid, "other-uid");
  EXPECT_EQ(outcome.certainty, Certainty::kRejected);
  EXPECT_THAT(outcome.message, HasSubstr("is controlled by Iris other"));
  EXPECT_THAT(outcome.message, HasSubstr("hand it over"));
  EXPECT_EQ(FindString(*server.Get(PathOf("a")), {"data", "key"}), "foreign");
  EXPECT_EQ(Applied(server), "False/NameConflict");
}

TEST(PlanRun, ObjectWithoutControllerIsForeignToo) {
  FakeApiServer server = ServerWithParent();
  Json foreign = ConfigMap("a", "foreign");
  foreign["metadata"].erase("ownerReferences");
  server.Put(PathOf("a"), foreign);
  const Driven driven = Drive(MakePlan({{CreateOp(ConfigMap("a"))}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kNameConflict));
  EXPECT_THAT(driven.report.outcomes[0].message, HasSubstr("has no controller"));
  EXPECT_EQ(driven.report.outcomes[0].holder_uid, "");
}

TEST(PlanRun, OwnObjectThatIsTerminatingIsWaitedFor) {
  FakeApiServer server = ServerWithParent();
  Json old = ConfigMap("a", "old");
  old["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  server.Put(PathOf("a"), old);
  const Driven driven = Drive(MakePlan({{CreateOp(ConfigMap("a"))}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kTerminating));
  EXPECT_EQ(driven.requests, 2u);
}

TEST(PlanRun, UnownedObjectIsOursWhenTheSameManagerAppliedItForThisParent) {
  FakeApiServer server = ServerWithParent();
  Json unowned = ConfigMap("a");
  unowned["metadata"].erase("ownerReferences");
  const Json nobodys = unowned;
  const std::string label(kDatabaseLabel);
  unowned["metadata"]["labels"][label] = MakePlan({}).envelope.parent.ref.name;
  EXPECT_THAT(Codes(Drive(MakePlan({{CreateOp(unowned)}}), &server).report), ElementsAre(kCreated));
  EXPECT_THAT(Codes(Drive(MakePlan({{CreateOp(unowned)}}), &server).report),
              ElementsAre(kUnchanged));
  FakeApiServer other = ServerWithParent();
  other.Put(PathOf("a"), unowned);
  EXPECT_THAT(Codes(Drive(MakePlan({{CreateOp(unowned)}}), &other).report),
              ElementsAre(kNameConflict));
  // What the manager applied for another parent is not taken over by this one's name on it.
  Json siblings = unowned;
  siblings["metadata"]["labels"][label] = "sibling";
  for (const Json& theirs : {siblings, nobodys}) {
    FakeApiServer third = ServerWithParent();
    EXPECT_THAT(Codes(Drive(MakePlan({{CreateOp(theirs)}}), &third).report), ElementsAre(kCreated));
    EXPECT_THAT(Codes(Drive(MakePlan({{CreateOp(unowned)}}), &third).report),
                ElementsAre(kNameConflict));
  }
}

TEST(PlanRun, WrongUidIsStaleAndChangesNothing) {
  FakeApiServer server = ServerWithParent();
  server.Put(PathOf("a"), ConfigMap("a", "old"));
  const Driven driven = Drive(MakePlan({{UpdateOp(ConfigMap("a"), "gone-uid", "3"),
                                         UpdateOp(ConfigMap("b"), "gone-uid", "3")}}),
                              &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kStale, kStale));
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(PlanRun, UpdateThatWouldAddASecondControllerIsANameConflict) {
  FakeApiServer server = ServerWithParent();
  Json foreign = ConfigMap("a", "foreign");
  foreign["metadata"]["ownerReferences"][0]["uid"] = "other-uid";
  const std::string uid = FindString(server.Put(PathOf("a"), foreign), {"metadata", "uid"});
  const Driven driven = Drive(MakePlan({{UpdateOp(ConfigMap("a"), uid, "3")}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kNameConflict));
  EXPECT_EQ(driven.report.outcomes[0].holder_uid, "other-uid");
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(PlanRun, DeletionSaysWhetherTheObjectIsStillThere) {
  FakeApiServer server = ServerWithParent();
  const std::string a = FindString(server.Put(PathOf("a"), ConfigMap("a")), {"metadata", "uid"});
  const std::string b = FindString(server.Put(PathOf("b"), ConfigMap("b")), {"metadata", "uid"});
  server.slow_to_delete = {PathOf("b")};
  const Driven driven =
      Drive(MakePlan({{DeleteOp(ConfigMap("a"), a), DeleteOp(ConfigMap("b"), b),
                       DeleteOp(ConfigMap("c"), "c"), DeleteOp(ConfigMap("d"), a)}}),
            &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kDeleted, kDeleted, kAbsent, kAbsent));
  EXPECT_FALSE(driven.report.outcomes[0].terminating);
  EXPECT_TRUE(driven.report.outcomes[1].terminating);
  EXPECT_EQ(driven.report.outcomes[1].uid, b);
  EXPECT_THAT(Reasons(driven.events), ElementsAre("Deleted", "Deleted"));
}

TEST(PlanRun, DeletionSparesAnotherObjectOfTheSameName) {
  FakeApiServer server = ServerWithParent();
  server.Put(PathOf("a"), ConfigMap("a"));
  const Driven driven = Drive(MakePlan({{DeleteOp(ConfigMap("a"), "old-uid")}}), &server);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kAbsent));
  EXPECT_NE(server.Get(PathOf("a")), nullptr);
  EXPECT_THAT(driven.events, IsEmpty());
}

TEST(PlanRun, SecretIsMadeOnceAndNeverChanged) {
  FakeApiServer server = ServerWithParent();
  EXPECT_THAT(Codes(Drive(MakePlan({{SecretOp("s")}}), &server).report), ElementsAre(kCreated));
  const FakeApiServer before = server;
  const Driven again = Drive(MakePlan({{SecretOp("s")}}), &server, std::string(32, 'q'));
  EXPECT_THAT(Codes(again.report), ElementsAre(kExisted));
  EXPECT_EQ(server.objects(), before.objects());
  EXPECT_EQ(again.requests, 1u) << "the applier may not read Secrets";
  EXPECT_THAT(again.events, IsEmpty());
}

TEST(PlanRun, SecretWithoutRandomnessIsRefused) {
  FakeApiServer server = ServerWithParent();
  const Driven driven = Drive(MakePlan({{SecretOp("s")}}), &server, "short");
  EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused));
  EXPECT_EQ(driven.requests, 0u);
}

TEST(PlanRun, PasswordIsNotInTheReport) {
  FakeApiServer server = ServerWithParent();
  const Driven driven = Drive(MakePlan({{SecretOp("s")}}), &server);
  const std::string password =
      FindString(*server.Get("/api/v1/namespaces/default/secrets/s"), {"stringData", "password"});
  ASSERT_EQ(password.size(), 32u);
  const Outcome& o = driven.report.outcomes[0];
  for (const std::string& text : {o.message, o.digest, o.result_digest, o.reason, o.uid}) {
    EXPECT_FALSE(absl::StrContains(text, password));
  }
}

TEST(PlanRun, ExpiredPlanStartsNothing) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  PlanRun run(plan, {}, "");
  EXPECT_THAT(run.Next(At(absl::Seconds(13))), IsEmpty());
  ASSERT_TRUE(run.Done());
  EXPECT_THAT(Codes(run.TakeReport()), ElementsAre(kNotStarted, kNotStarted));
}

TEST(PlanRun, PlanWithoutExpiryEndsByItsAge) {
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}});
  plan.envelope.not_after = absl::InfiniteFuture();
  FakeApiServer server = ServerWithParent();
  PlanRun run(plan, {}, "");
  const auto first = run.Next(At());
  run.On(first[0].id, server.Handle(first[0].request), At(absl::Seconds(30)));
  EXPECT_THAT(run.Next(At(absl::Seconds(30))), IsEmpty());
  ASSERT_TRUE(run.Done());
  EXPECT_THAT(Codes(run.TakeReport()), ElementsAre(kCreated, kNotStarted));
}

TEST(PlanRun, AbortedRunStartsNothingMoreAndWaitsForWhatIsInFlight) {
  FakeApiServer server = ServerWithParent();
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}});
  plan.status = StatusOf(0);
  PlanRun run(plan, {}, "");
  const auto first = run.Next(At());
  run.Abort();
  EXPECT_THAT(run.Next(At()), IsEmpty());
  EXPECT_FALSE(run.Done());
  run.On(first[0].id, server.Handle(first[0].request), At());
  EXPECT_THAT(run.Next(At()), IsEmpty());
  ASSERT_TRUE(run.Done());
  EXPECT_THAT(Codes(run.TakeReport()), ElementsAre(kCreated, kNotStarted, kNotStarted));
}

TEST(PlanRun, AbortBetweenConflictAndSecondWriteChangesNothing) {
  FakeApiServer server = ServerWithParent();
  server.Put(PathOf("a"), ConfigMap("a", "old"));
  PlanRun run(MakePlan({{CreateOp(ConfigMap("a"))}}), {}, "");
  for (int i = 0; i < 2; ++i) {
    const auto next = run.Next(At());
    run.On(next.at(0).id, server.Handle(next[0].request), At());
  }
  run.Abort();
  EXPECT_THAT(run.Next(At()), IsEmpty());
  EXPECT_THAT(Codes(run.TakeReport()), ElementsAre(kNotStarted));
  EXPECT_THAT(server.effects(), IsEmpty());
}

TEST(PlanRun, DeferredDeletionsAreRefusedAndTheRestGoesOn) {
  FakeApiServer server = ServerWithParent();
  const std::string a = FindString(server.Put(PathOf("a"), ConfigMap("a")), {"metadata", "uid"});
  Plan plan = MakePlan({{DeleteOp(ConfigMap("a"), a), CreateOp(ConfigMap("b"))}});
  plan.status = StatusOf(0);
  const Driven driven =
      Drive(plan, &server, std::string(32, 'r'), Refusal{"DeletionDeferred", "limit 1"});
  EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused, kCreated, kChanged));
  EXPECT_NE(server.Get(PathOf("a")), nullptr);
  EXPECT_EQ(Applied(server), "False/DeletionDeferred");
}

TEST(PlanRun, RefusedOperationNeverLeavesTheProcess) {
  FakeApiServer server = ServerWithParent();
  Policy policy;
  policy.allow = {{"irises.example.com", {}}};
  Plan plan = MakePlan({{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  const Driven driven = Drive(plan, &server, "", std::nullopt, policy);
  EXPECT_THAT(Codes(driven.report), ElementsAre(kRefused, kChanged));
  EXPECT_EQ(Applied(server), "False/KindNotAllowed");
}

TEST(PlanRun, RetryAfterOfAThrottlingServerIsReported) {
  PlanRun run(MakePlan({{CreateOp(ConfigMap("a"))}}), {}, "");
  const auto first = run.Next(At());
  kube::ApiResponse response = StatusAnswer(429, "TooManyRequests", "slow down");
  response.retry_after = absl::Seconds(7);
  run.On(first[0].id, response, At());
  run.Next(At());
  const Report report = run.TakeReport();
  EXPECT_THAT(Codes(report), ElementsAre(kThrottled));
  EXPECT_EQ(report.retry_after, absl::Seconds(7));
}

TEST(PlanRun, AnswersToUnknownRequestsAreIgnored) {
  PlanRun run(MakePlan({{CreateOp(ConfigMap("a"))}}), {}, "");
  run.On(17, kube::ApiResponse{}, At());
  const auto first = run.Next(At());
  run.On(first[0].id, kube::ApiResponse{.status = 500}, At());
  run.On(first[0].id, kube::ApiResponse{.status = 201}, At());
  run.Next(At());
  EXPECT_THAT(Codes(run.TakeReport()), ElementsAre(kServerError));
}

TEST(PlanRun, HostileAnswersAreUnexpectedNotFatal) {
  const std::string deep(100000, '[');
  for (const std::string& body :
       std::vector<std::string>{"", "[]", "{", "{\"metadata\":3}", "\xff\xfe", deep}) {
    PlanRun run(MakePlan({{CreateOp(ConfigMap("a"))}}), {}, "");
    const auto first = run.Next(At());
    kube::ApiResponse response;
    response.status = 201;
    response.body = body;
    run.On(first[0].id, response, At());
    run.Next(At());
    const Report report = run.TakeReport();
    EXPECT_THAT(Codes(report), ElementsAre(kUnexpected));
    EXPECT_EQ(report.outcomes[0].certainty, Certainty::kUnknown);
  }
}

}  // namespace
}  // namespace xebec::applier
