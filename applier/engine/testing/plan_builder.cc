// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/plan_builder.h"

#include "absl/strings/str_cat.h"
#include "common/model/fields.h"
#include "common/model/well_known.h"

namespace xebec::applier::testing {
namespace {

ObjectRef RefOf(const Json& object) {
  return {ConfigMapType(), FindString(object, {"metadata", "namespace"}),
          FindString(object, {"metadata", "name"})};
}

Operation MakeOp(Action action, ObjectRef target, Precondition precondition) {
  Operation op;
  op.id = OperationId(action, target);
  op.target = std::move(target);
  op.precondition = std::move(precondition);
  op.action = std::move(action);
  return op;
}

EventFact Fact(EventCondition by, const std::string& reason, const std::string& name) {
  return {by, false, reason, reason, absl::StrCat(reason, " ", name)};
}

}  // namespace

Instant At(absl::Duration after) {
  return {absl::FromUnixSeconds(1767225600) + after, absl::Hours(1) + after};
}

ResourceType ConfigMapType() { return {"", "v1", "ConfigMap", "configmaps", false}; }
ResourceType ParentType() { return {"example.com", "v1alpha1", "Iris", "irises", false}; }

Envelope ParentEnvelope() {
  Envelope envelope;
  envelope.parent = {{ParentType(), "default", "iris"}, "parent-uid", "10", 3};
  envelope.controller = "iris.example.com";
  envelope.bucket_count = 1;
  envelope.epoch = 5;
  envelope.watcher = "watcher-1";
  envelope.sequence = 1;
  envelope.not_after = At(absl::Seconds(10)).wall;
  envelope.reconcile_id = "reconcile-1";
  return envelope;
}

Json ParentObject() {
  return {{"apiVersion", "example.com/v1alpha1"},
          {"kind", "Iris"},
          {"metadata",
           {{"name", "iris"}, {"namespace", "default"}, {"uid", "parent-uid"}, {"generation", 3}}},
          {"spec", {{"replicas", 1}}}};
}

Json ConfigMap(const std::string& name, const std::string& value) {
  Json object = {{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata",
                  {{"name", name},
                   {"namespace", "default"},
                   {"ownerReferences",
                    {{{"apiVersion", "example.com/v1alpha1"},
                      {"kind", "Iris"},
                      {"name", "iris"},
                      {"uid", "parent-uid"},
                      {"controller", true},
                      {"blockOwnerDeletion", true}}}}}},
                 {"data", {{"key", value}}}};
  object["metadata"]["annotations"][std::string(kDigestAnnotation)] = DesiredDigest(object);
  return object;
}

std::string PathOf(const std::string& config_map) {
  return kube::ObjectPath({ConfigMapType(), "default", config_map});
}
std::string ParentPath() { return kube::ObjectPath(ParentEnvelope().parent.ref); }

Operation CreateOp(const Json& object) {
  Operation op = MakeOp(Apply{MakeObjectBytes(DumpJson(object))}, RefOf(object), {.absent = true});
  op.events = {Fact(EventCondition::kCreated, "Created", op.target.name)};
  return op;
}

Operation UpdateOp(const Json& object, const std::string& uid, const std::string& version) {
  Operation op = MakeOp(Apply{MakeObjectBytes(DumpJson(object))}, RefOf(object), {.uid = uid});
  op.observed_version = version;
  op.events = {Fact(EventCondition::kChanged, "Changed", op.target.name)};
  return op;
}

Operation DeleteOp(const Json& object, const std::string& uid) {
  Operation op = MakeOp(Delete{}, RefOf(object), {.uid = uid});
  op.events = {Fact(EventCondition::kDeleted, "Deleted", op.target.name)};
  return op;
}

Operation FinalizerOp(Action action) {
  const ParentIdentity parent = ParentEnvelope().parent;
  return MakeOp(std::move(action), parent.ref,
                {.uid = parent.uid, .resource_version = parent.resource_version});
}

Operation SecretOp(const std::string& name) {
  Operation op = MakeOp(EnsureSecret{{"password"}, {{"app", "iris"}}},
                        {{"", "v1", "Secret", "secrets", false}, "default", name}, {});
  op.events = {Fact(EventCondition::kCreated, "SecretCreated", name)};
  return op;
}

StatusIntent StatusOf(int ready) {
  Json object = ParentObject();
  object.erase("spec");
  object["metadata"] = {{"name", "iris"}, {"namespace", "default"}};
  object["status"] = {{"readyReplicas", ready}};
  StatusIntent intent;
  intent.object = MakeObjectBytes(DumpJson(object));
  intent.changed = true;
  intent.now = "2026-01-01T00:00:00Z";
  intent.events = {{EventCondition::kAnyChange, false, "Ready", "Observe", "is ready"}};
  return intent;
}

Plan MakePlan(std::vector<std::vector<Operation>> stages) {
  Plan plan;
  plan.envelope = ParentEnvelope();
  for (auto& operations : stages) plan.stages.push_back({"stage", std::move(operations)});
  return plan;
}

FakeApiServer ServerWithParent() {
  FakeApiServer server;
  server.Put(ParentPath(), ParentObject());
  server.SetVersion(ParentPath(), "10");
  return server;
}

}  // namespace xebec::applier::testing
