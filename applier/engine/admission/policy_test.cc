// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/policy.h"

#include "applier/engine/testing/plan_builder.h"
#include "common/model/bucket.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

std::string ReasonOfOperation(const Operation& op, const Policy& policy = {}) {
  absl::StatusOr<Json> body = Json();
  if (const auto* apply = std::get_if<Apply>(&op.action)) body = ParseBody(apply->object, policy);
  const auto refusal = AdmitOperation(op, body, ParentEnvelope(), policy);
  return refusal ? refusal->reason : "";
}

std::string ReasonOfPlan(const Plan& plan, const Policy& policy = {}) {
  const auto refusal = Admit(plan, policy);
  return refusal ? refusal->reason : "";
}

TEST(Policy, PlanOfTheWatcherIsAdmitted) {
  EXPECT_EQ(ReasonOfPlan(MakePlan({{CreateOp(ConfigMap("a"))}})), "");
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a"))), "");
}

TEST(Policy, PlanWithoutUidIsRefusedWithAClearMessage) {
  Plan plan = MakePlan({});
  plan.envelope.parent.uid.clear();
  EXPECT_EQ(ReasonOfPlan(plan), "NoUid");
  EXPECT_NE(Admit(plan, {})->message.find("can be read, not applied"), std::string::npos);
}

TEST(Policy, EnvelopeThatCannotBeActedOnIsRefused) {
  Plan plan = MakePlan({});
  plan.envelope.epoch = uint64_t{1} << 40;
  EXPECT_EQ(ReasonOfPlan(plan), "MalformedEpoch");
  plan = MakePlan({});
  plan.envelope.bucket = 3;
  plan.envelope.bucket_count = 2;
  EXPECT_EQ(ReasonOfPlan(plan), "MalformedBucket");
  plan.envelope.bucket_count = kMaxBuckets + 1;
  EXPECT_EQ(ReasonOfPlan(plan), "MalformedBucket");
  plan.envelope.bucket_count = kMaxBuckets;
  EXPECT_EQ(ReasonOfPlan(plan), "");
  plan = MakePlan({});
  plan.envelope.controller.clear();
  EXPECT_EQ(ReasonOfPlan(plan), "NoController");
  plan = MakePlan({});
  plan.envelope.parent.resource_version.clear();
  EXPECT_EQ(ReasonOfPlan(plan), "NoVersion");
}

TEST(Policy, TooManyOperationsOrIdsUsedTwiceAreRefused) {
  Policy policy;
  policy.max_operations = 1;
  EXPECT_EQ(
      ReasonOfPlan(MakePlan({{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}), policy),
      "TooManyOperations");
  EXPECT_EQ(ReasonOfPlan(MakePlan({{CreateOp(ConfigMap("a")), CreateOp(ConfigMap("a"))}})),
            "MalformedPlan");
}

TEST(Policy, AllowListNamesResourcesAndNamespaces) {
  Policy policy;
  policy.allow = {{"secrets", {}}, {"configmaps", {"other"}}};
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "NamespaceNotAllowed");
  policy.allow = {{"secrets", {}}};
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "KindNotAllowed");
  policy.allow = {{"configmaps", {"default"}}};
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "");
  policy.allow = {{"*", {}}};
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "");
  policy.allow = {{"configmaps.example.com", {}}};
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "KindNotAllowed");
}

TEST(Policy, NothingIsWrittenOutsideTheParentsNamespace) {
  Operation elsewhere = CreateOp(ConfigMap("a"));
  elsewhere.target.ns = "kube-system";
  EXPECT_EQ(ReasonOfOperation(elsewhere), "NamespaceNotAllowed");
  Operation secret = elsewhere;
  secret.action = EnsureSecret{};
  EXPECT_EQ(ReasonOfOperation(secret), "NamespaceNotAllowed");
  Operation cluster = CreateOp(ConfigMap("a"));
  cluster.target.ns.clear();
  cluster.target.type = {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", true};
  EXPECT_EQ(ReasonOfOperation(cluster), "NamespaceNotAllowed");
}

TEST(Policy, NamesThatMeanAnotherPathAreRefused) {
  for (const std::string name :
       {"", ".", "..", "../secrets/x", "a/status", "a%2fb", "a?x=1", "a b"}) {
    Operation op = CreateOp(ConfigMap("a"));
    op.target.name = name;
    EXPECT_EQ(ReasonOfOperation(op), "MalformedTarget") << name;
  }
  Operation op = CreateOp(ConfigMap("a"));
  op.target.type.plural = "configmaps/x/../../secrets";
  EXPECT_EQ(ReasonOfOperation(op), "MalformedTarget");
  op = CreateOp(ConfigMap("a"));
  op.target.ns = "a/b";
  EXPECT_EQ(ReasonOfOperation(op), "MalformedTarget");
  op.target.ns = "";
  EXPECT_EQ(ReasonOfOperation(op), "MalformedTarget");
}

TEST(Policy, BodyOfAnotherObjectIsRefused) {
  Operation op = CreateOp(ConfigMap("a"));
  op.target.name = "b";
  EXPECT_EQ(ReasonOfOperation(op), "BodyNotTarget");
  op = CreateOp(ConfigMap("a"));
  op.target.type.kind = "Secret";
  EXPECT_EQ(ReasonOfOperation(op), "BodyNotTarget");
  op.action = Apply{MakeObjectBytes("[1")};
  EXPECT_EQ(ReasonOfOperation(op), "MalformedBody");
  op.action = Apply{nullptr};
  EXPECT_EQ(ReasonOfOperation(op), "MalformedBody");
}

TEST(Policy, LargeObjectIsRefused) {
  Policy policy;
  policy.max_object_bytes = 10;
  EXPECT_EQ(ReasonOfOperation(CreateOp(ConfigMap("a")), policy), "ObjectTooLarge");
}

TEST(Policy, ControllerReferenceToAnotherParentIsRefused) {
  Json body = ConfigMap("a");
  body["metadata"]["ownerReferences"][0]["uid"] = "someone-else";
  EXPECT_EQ(ReasonOfOperation(CreateOp(body)), "ForeignOwner");
}

TEST(Policy, WriteWithoutPreconditionIsRefused) {
  Operation op = CreateOp(ConfigMap("a"));
  op.precondition = {};
  EXPECT_EQ(ReasonOfOperation(op), "NoPrecondition");
  op.precondition = {.absent = true, .uid = "u"};
  EXPECT_EQ(ReasonOfOperation(op), "NoPrecondition");
  op = DeleteOp(ConfigMap("a"), "");
  EXPECT_EQ(ReasonOfOperation(op), "NoPrecondition");
}

TEST(Policy, ParentIsNotDeletedByItsOwnPlan) {
  Operation op = DeleteOp(ConfigMap("a"), "u");
  op.target = ParentEnvelope().parent.ref;
  EXPECT_EQ(ReasonOfOperation(op), "ParentDeletion");
}

TEST(Policy, OnlyOwnFinalizersOfTheParentAreWritten) {
  EXPECT_EQ(ReasonOfOperation(FinalizerOp(AddFinalizer{"xebec.dev/cleanup"})), "");
  for (const std::string name : {"", "orphan", "foregroundDeletion", "kubernetes.io/pvc-protection",
                                 "x.k8s.io/y", "a/", "/b"}) {
    EXPECT_EQ(ReasonOfOperation(FinalizerOp(RemoveFinalizer{name})), "FinalizerNotOurs") << name;
  }
  Operation op = FinalizerOp(AddFinalizer{"xebec.dev/cleanup"});
  op.target.name = "other";
  EXPECT_EQ(ReasonOfOperation(op), "FinalizerNotOurs");
}

TEST(Policy, OnlySecretsAreEnsured) {
  EXPECT_EQ(ReasonOfOperation(SecretOp("s")), "");
  Operation op = SecretOp("s");
  op.target.type = ConfigMapType();
  EXPECT_EQ(ReasonOfOperation(op), "MalformedTarget");
  op = SecretOp("s");
  op.action = EnsureSecret{};
  EXPECT_EQ(ReasonOfOperation(op), "MalformedBody");
}

TEST(Policy, StatusOfAnotherObjectIsRefused) {
  const Envelope envelope = ParentEnvelope();
  EXPECT_FALSE(AdmitStatus(ParseBody(StatusOf(1).object, {}), envelope, {}));
  Json other = *ParseJson(*StatusOf(1).object);
  other["metadata"]["name"] = "other";
  EXPECT_EQ(AdmitStatus(other, envelope, {})->reason, "BodyNotTarget");
}

TEST(Policy, DeletionsOfOnePlanAreLimited) {
  Policy policy;
  policy.max_deletions = 1;
  const Plan plan = MakePlan({{DeleteOp(ConfigMap("a"), "u1"), DeleteOp(ConfigMap("b"), "u2")}});
  EXPECT_EQ(AdmitDeletions(plan, policy)->reason, "DeletionDeferred");
  policy.max_deletions = 2;
  EXPECT_FALSE(AdmitDeletions(plan, policy));
}

}  // namespace
}  // namespace xebec::applier
