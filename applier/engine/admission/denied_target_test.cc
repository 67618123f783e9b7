// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/denied_target.h"

#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

constexpr char kForbiddenGroups[][32] = {
    "rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io",
    "apiregistration.k8s.io",    "certificates.k8s.io",          "authentication.k8s.io",
    "authorization.k8s.io",      "coordination.k8s.io"};

/// The envelope of a plan for a cluster-scoped parent, which may have children anywhere.
Envelope ClusterScopedParent(const std::string& group = "example.com") {
  Envelope envelope = ParentEnvelope();
  envelope.parent.ref.ns.clear();
  envelope.parent.ref.type = {group, "v1", "Tenant", "tenants", true};
  return envelope;
}

ObjectRef Thing(const std::string& group) {
  return {{group, "v1", "Thing", "things", true}, "", "a"};
}

std::string ReasonOf(const Operation& op, const Policy& policy = {},
                     const Envelope& envelope = ClusterScopedParent()) {
  absl::StatusOr<Json> body = Json();
  if (const auto* apply = std::get_if<Apply>(&op.action)) body = ParseBody(apply->object, policy);
  const auto refusal = AdmitOperation(op, body, envelope, policy);
  return refusal ? refusal->reason : "";
}

std::string ReasonOfStatus(const ObjectRef& parent) {
  Envelope envelope = ParentEnvelope();
  envelope.parent.ref = parent;
  const Json body = {{"apiVersion", ApiVersion(parent.type)},
                     {"kind", parent.type.kind},
                     {"metadata", {{"name", parent.name}, {"namespace", parent.ns}}}};
  const auto refusal = AdmitStatus(body, envelope, {.deny_namespaces = {"default"}});
  return refusal ? refusal->reason : "";
}

TEST(DeniedTarget, NoOperationWritesInADeniedNamespace) {
  Policy policy;
  policy.allow = {{"*", {}}};
  policy.deny_namespaces = {"xebec-system", "default"};
  const Operation operations[] = {CreateOp(ConfigMap("a")), UpdateOp(ConfigMap("a"), "u", "1"),
                                  DeleteOp(ConfigMap("a"), "u"), SecretOp("s")};
  for (const Operation& op : operations) {
    EXPECT_EQ(ReasonOf(op, policy), "NamespaceDenied") << OperationId(op.action, op.target);
    EXPECT_EQ(ReasonOf(op), "");
  }
  const Operation finalizer = FinalizerOp(AddFinalizer{"xebec.dev/cleanup"});
  EXPECT_EQ(ReasonOf(finalizer, policy, ParentEnvelope()), "NamespaceDenied");
  policy.deny_namespaces = {"xebec-system"};
  EXPECT_EQ(ReasonOf(operations[0], policy), "");
}

TEST(DeniedTarget, DeniedNamespaceItselfIsNotDeleted) {
  Operation op = DeleteOp(ConfigMap("a"), "u");
  op.target = {{"", "v1", "Namespace", "namespaces", true}, "", "xebec-system"};
  EXPECT_EQ(ReasonOf(op, {.deny_namespaces = {"xebec-system"}}), "NamespaceDenied");
  op.target.name = "team-a";
  EXPECT_EQ(ReasonOf(op, {.deny_namespaces = {"xebec-system"}}), "");
}

TEST(DeniedTarget, MessageNamesTheObjectAndTheSetting) {
  const auto refusal =
      CheckDenied(CreateOp(ConfigMap("a")), ParentEnvelope(), {.deny_namespaces = {"default"}});
  EXPECT_EQ(refusal->message,
            "ConfigMap default/a: the applier's configuration (key denyNamespaces) denies every "
            "write in namespace default");
}

TEST(DeniedTarget, NoOperationWritesWhatGivesRightsWhateverIsAllowed) {
  const Policy everything = {.allow = {{"*", {}}}};
  for (const std::string group : kForbiddenGroups) {
    Operation op = DeleteOp(ConfigMap("a"), "u");
    op.target = Thing(group);
    EXPECT_EQ(ReasonOf(op, everything), "KindForbidden") << group;
    op = FinalizerOp(AddFinalizer{"xebec.dev/cleanup"});
    op.target = Thing(group);
    Envelope envelope = ClusterScopedParent();
    envelope.parent.ref = op.target;
    EXPECT_EQ(ReasonOf(op, everything, envelope), "KindForbidden") << group;
  }
}

TEST(DeniedTarget, SecretsAreOnlyCreatedWithRandomValuesWhateverIsAllowed) {
  const Policy everything = {.allow = {{"*", {}}}};
  const ObjectRef secret = SecretOp("a").target;
  Json body = ConfigMap("a");
  body["kind"] = "Secret";
  for (Operation op :
       {CreateOp(body), UpdateOp(body, "u", "1"), DeleteOp(body, "u"),
        FinalizerOp(AddFinalizer{kFinalizer}), FinalizerOp(RemoveFinalizer{kFinalizer})}) {
    op.target = secret;
    Envelope envelope = ClusterScopedParent();
    if (op.precondition.uid == envelope.parent.uid) envelope.parent.ref = secret;
    EXPECT_EQ(ReasonOf(op, everything, envelope), "KindForbidden") << op.id;
    EXPECT_EQ(ReasonOf(op, {.allow = {{"secrets", {}}}}, envelope), "KindForbidden") << op.id;
  }
  EXPECT_EQ(ReasonOfStatus(secret), "KindForbidden");
  EXPECT_EQ(ReasonOf(SecretOp("a"), everything), "");
  Operation other = DeleteOp(body, "u");
  other.target = {{"example.com", "v1", "Secret", "secrets", false}, "default", "a"};
  EXPECT_EQ(ReasonOf(other, everything), "");
}

TEST(DeniedTarget, OperatorGetsOnlyFinalizersOfItsOwnPlan) {
  const Envelope own = ClusterScopedParent("xebec.dev");
  Operation op = FinalizerOp(AddFinalizer{"xebec.dev/operator"});
  op.target = own.parent.ref;
  EXPECT_EQ(ReasonOf(op, {}, own), "");
  op.action = RemoveFinalizer{"xebec.dev/operator"};
  EXPECT_EQ(ReasonOf(op, {}, own), "");
  EXPECT_EQ(ReasonOf(op, {}, ClusterScopedParent()), "KindForbidden");
  op = DeleteOp(ConfigMap("a"), "u");
  op.target = Thing("xebec.dev");
  EXPECT_EQ(ReasonOf(op, {}, own), "KindForbidden");
}

TEST(DeniedTarget, StatusIsWrittenExceptOfWhatGivesRights) {
  EXPECT_EQ(ReasonOfStatus(ParentEnvelope().parent.ref), "");
  EXPECT_EQ(ReasonOfStatus(Thing("xebec.dev")), "");
  for (const std::string group : kForbiddenGroups) {
    EXPECT_EQ(ReasonOfStatus(Thing(group)), "KindForbidden") << group;
  }
}

}  // namespace
}  // namespace xebec::applier
