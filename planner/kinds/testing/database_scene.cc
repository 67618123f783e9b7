// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/testing/database_scene.h"

#include "absl/strings/str_cat.h"
#include "planner/kinds/built_in.h"
#include "planner/kinds/resources.h"

namespace xebec::testing {
namespace {

using planner::ClaimType;
using planner::JobType;
using planner::SecretType;
using planner::StatefulSetType;

Json ParentObject(const std::string& name, std::string_view spec) {
  Json object;
  object["metadata"]["name"] = name;
  object["spec"] = *ParseJson(spec);
  return object;
}

}  // namespace

DatabaseScene::DatabaseScene(std::string_view spec, const std::string& name)
    : Scene(*planner::BuiltInKinds().Find("stable.imaginedata.co", "Database"),
            ParentObject(name, spec)) {}

void DatabaseScene::EditSpec(std::string_view patch) {
  world.Edit(parent, [&](Json& object) { object["spec"].merge_patch(*ParseJson(patch)); });
}

void DatabaseScene::Annotate(std::string_view key, const std::string& value) {
  world.Edit(parent,
             [&](Json& object) { object["metadata"]["annotations"][std::string(key)] = value; });
}

Json DatabaseScene::Status() const { return Parent()["status"]; }

Json DatabaseScene::Set() const {
  const auto sets = world.List("StatefulSet");
  return sets.empty() ? Json() : *world.Get(sets[0]);
}

void DatabaseScene::Roll(int64_t ready) {
  const Json set = Set();
  const int64_t replicas = set["spec"]["replicas"].get<int64_t>();
  for (int64_t ordinal = 0; ordinal < replicas; ++ordinal) MakeClaim(ordinal);
  world.Edit(Ref(StatefulSetType(), FindString(set, {"metadata", "name"})), [&](Json& object) {
    object["status"] = {{"replicas", replicas},
                        {"updatedReplicas", replicas},
                        {"readyReplicas", ready},
                        {"observedGeneration", object["metadata"]["generation"]}};
  });
}

void DatabaseScene::RollAll() { Roll(Set()["spec"]["replicas"].get<int64_t>()); }

void DatabaseScene::MakeClaim(int64_t ordinal) {
  const Json set = Set();
  const Json claim_template = set["spec"]["volumeClaimTemplates"][0];
  Json claim;
  claim["metadata"]["labels"] = claim_template["metadata"]["labels"];
  claim["metadata"]["name"] = absl::StrCat(FindString(claim_template, {"metadata", "name"}), "-",
                                           FindString(set, {"metadata", "name"}), "-", ordinal);
  claim["spec"] = claim_template["spec"];
  claim["status"]["capacity"] = claim["spec"]["resources"]["requests"];
  if (world.Get(Ref(ClaimType(), FindString(claim, {"metadata", "name"}))) == nullptr) {
    world.Put(ClaimType(), std::move(claim));
  }
}

std::string DatabaseScene::JobName() const {
  const auto jobs = world.List("Job");
  return jobs.empty() ? "" : jobs[0].name;
}

Json DatabaseScene::Job() const {
  const Json* job = world.Get(Ref(JobType(), JobName()));
  return job == nullptr ? Json() : *job;
}

void DatabaseScene::EndJob(std::string_view condition) {
  world.Edit(Ref(JobType(), JobName()), [&](Json& job) {
    job["status"]["conditions"] = Json::array(
        {{{"type", std::string(condition)}, {"status", "True"}, {"message", "as the test says"}}});
  });
}

void DatabaseScene::RemoveJob() { world.Finish(Ref(JobType(), JobName())); }

Json DatabaseScene::Claim(int64_t ordinal) const {
  const std::string set = FindString(Set(), {"metadata", "name"});
  const Json* claim = world.Get(Ref(ClaimType(), absl::StrCat("data-", set, "-", ordinal)));
  return claim == nullptr ? Json() : *claim;
}

std::string DatabaseScene::Asked(int64_t ordinal) const {
  return FindString(Claim(ordinal), {"spec", "resources", "requests", "storage"});
}

void DatabaseScene::RemoveSecret() {
  for (const ObjectRef& secret : world.List("Secret")) world.Finish(secret);
}

void DatabaseScene::PutPod(const std::string& name, std::string_view status, Json controller) {
  if (controller.is_null()) controller = Set();
  Json pod;
  pod["metadata"]["name"] = name;
  pod["metadata"]["labels"]["xebec.dev/parent"] = parent.name;
  pod["metadata"]["ownerReferences"] = Json::array({{{"kind", controller["kind"]},
                                                     {"name", controller["metadata"]["name"]},
                                                     {"uid", controller["metadata"]["uid"]},
                                                     {"controller", true}}});
  pod["status"] = *ParseJson(status);
  world.Finish(Ref(planner::PodType(), name));
  world.Put(planner::PodType(), std::move(pod));
}

void DatabaseScene::BringUp() {
  Converge();
  RollAll();
  Converge();
  EndJob("Complete");
  Converge();
}

}  // namespace xebec::testing
