// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/requests/request_builder.h"

#include <algorithm>
#include <set>

#include "applier/engine/outcomes/field_path.h"
#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;

const ObjectRef& Target() {
  static const auto& ref = *new ObjectRef{ConfigMapType(), "default", "a"};
  return ref;
}

TEST(RequestBuilder, CreationIsAPostThatRefusesUnknownFields) {
  Json object = ConfigMap("a");
  object["metadata"]["resourceVersion"] = "99";
  object["metadata"]["uid"] = "u";
  const auto request = CreateRequest(Target(), "iris.example.com", object);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path,
            "/api/v1/namespaces/default/configmaps?fieldManager=iris.example.com"
            "&fieldValidation=Strict");
  EXPECT_EQ(request.content_type, "application/json");
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(FindString(body, {"metadata", "name"}), "a");
  EXPECT_EQ(Find(body, {"metadata", "resourceVersion"}), nullptr);
  EXPECT_EQ(Find(body, {"metadata", "uid"}), nullptr);
}

TEST(RequestBuilder, ApplyByUidNamesTheObjectThatIsMeant) {
  Json object = ConfigMap("a");
  object["metadata"]["resourceVersion"] = "99";
  object["metadata"]["managedFields"] = Json::array();
  const auto request = ApplyRequest(Target(), "m", object, {"u", ""});
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(FindString(body, {"metadata", "uid"}), "u");
  EXPECT_EQ(Find(body, {"metadata", "resourceVersion"}), nullptr);
  EXPECT_EQ(Find(body, {"metadata", "managedFields"}), nullptr);
  const auto strict = ApplyRequest(Target(), "m", object, {"u", "7"});
  EXPECT_EQ(FindString(*ParseJson(strict.body), {"metadata", "resourceVersion"}), "7");
}

TEST(RequestBuilder, StatusIsAMergePatchOfItsSubresourceAtOneVersion) {
  Json object = ParentObject();
  object["status"] = {{"ready", 1}, {"gone", nullptr}};
  const auto request = StatusRequest(ParentEnvelope().parent.ref, "m", object, {"u", "7"});
  EXPECT_EQ(request.path,
            "/apis/example.com/v1alpha1/namespaces/default/irises/iris/status?fieldManager=m");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(body["status"], object["status"]);
  EXPECT_EQ(body["metadata"], (Json{{"uid", "u"}, {"resourceVersion", "7"}}));
}

TEST(RequestBuilder, FirstStatusIsAPutThatTestsUidAndVersion) {
  const auto request =
      FirstStatusRequest(ParentEnvelope().parent.ref, "m", {{"ready", 1}}, {"u", "7"});
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.path,
            "/apis/example.com/v1alpha1/namespaces/default/irises/iris/status?fieldManager=m");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(*ParseJson(request.body), *ParseJson(R"({
    "apiVersion": "example.com/v1alpha1", "kind": "Iris",
    "metadata": {"name": "iris", "namespace": "default", "uid": "u", "resourceVersion": "7"},
    "status": {"ready": 1}})"));
}

TEST(RequestBuilder, StatusIsReplacedIfItIsStillTheObservedOneOfTheSameObject) {
  const auto request =
      ReplaceStatusRequest(ParentEnvelope().parent.ref, "m", "u", {{"ready", 0}}, {{"ready", 1}});
  EXPECT_EQ(request.path,
            "/apis/example.com/v1alpha1/namespaces/default/irises/iris/status?fieldManager=m");
  EXPECT_EQ(request.content_type, "application/json-patch+json");
  EXPECT_EQ(*ParseJson(request.body),
            *ParseJson(R"([{"op":"test","path":"/metadata/uid","value":"u"},
                           {"op":"test","path":"/status","value":{"ready":0}},
                           {"op":"replace","path":"/status","value":{"ready":1}}])"));
}

TEST(RequestBuilder, DeletionCarriesItsPreconditionsAndPropagation) {
  const auto request = DeleteRequest(Target(), {.uid = "u"}, Propagation::kForeground);
  EXPECT_EQ(request.method, "DELETE");
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(FindString(body, {"preconditions", "uid"}), "u");
  EXPECT_EQ(Find(body, {"preconditions", "resourceVersion"}), nullptr);
  EXPECT_EQ(FindString(body, {"propagationPolicy"}), "Foreground");
  EXPECT_EQ(Find(body, {"gracePeriodSeconds"}), nullptr);
  const auto strict =
      DeleteRequest(Target(), {.uid = "u", .resource_version = "7"}, Propagation::kOrphan);
  EXPECT_EQ(FindString(*ParseJson(strict.body), {"preconditions", "resourceVersion"}), "7");
}

TEST(RequestBuilder, FinalizerIsAddedByAManagerOfItsOwn) {
  const auto request =
      AddFinalizerRequest(ParentEnvelope().parent.ref, "m", kFinalizer, {"parent-uid", "10"});
  EXPECT_NE(request.path.find("fieldManager=m-finalizer&force=true"), std::string::npos);
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(body["metadata"]["finalizers"], Json::array({kFinalizer}));
  EXPECT_EQ(FindString(body, {"metadata", "uid"}), "parent-uid");
  EXPECT_EQ(FindString(body, {"metadata", "resourceVersion"}), "10");
}

TEST(RequestBuilder, FinalizerIsRemovedAtItsPlaceUnderTests) {
  const auto request =
      RemoveFinalizerRequest(ParentEnvelope().parent.ref, "m", kFinalizer, 2, {"parent-uid", "10"});
  EXPECT_EQ(request.content_type, "application/json-patch+json");
  const Json patch = *ParseJson(request.body);
  ASSERT_EQ(patch.size(), 4u);
  EXPECT_EQ(patch[0]["path"], "/metadata/uid");
  EXPECT_EQ(patch[1]["value"], "10");
  EXPECT_EQ(patch[2]["value"], kFinalizer);
  EXPECT_EQ(patch[3], (Json{{"op", "remove"}, {"path", "/metadata/finalizers/2"}}));
}

// Of the child, the answer tells which fields the server has changed. Nobody needs a password back.
TEST(RequestBuilder, OnlyCreationsAndChangesOfAChildAskForTheWholeObject) {
  const ObjectRef& parent = ParentEnvelope().parent.ref;
  const Operation secret = SecretOp("s");
  EXPECT_TRUE(StatusRequest(parent, "m", ParentObject(), {"u", "7"}).metadata_only);
  EXPECT_TRUE(FirstStatusRequest(parent, "m", {{"ready", 1}}, {"u", "7"}).metadata_only);
  EXPECT_TRUE(ReplaceStatusRequest(parent, "m", "u", Json(), {{"ready", 1}}).metadata_only);
  EXPECT_TRUE(CreateSecretRequest(secret.target, "m", std::get<EnsureSecret>(secret.action),
                                  std::string(32, 'r'))
                  .metadata_only);
  EXPECT_TRUE(DeleteRequest(Target(), {.uid = "u"}, Propagation::kForeground).metadata_only);
  EXPECT_TRUE(AddFinalizerRequest(parent, "m", kFinalizer, {"u", "7"}).metadata_only);
  EXPECT_TRUE(RemoveFinalizerRequest(parent, "m", kFinalizer, 0, {"u", "7"}).metadata_only);
  EXPECT_FALSE(CreateRequest(Target(), "m", ParentObject()).metadata_only);
  EXPECT_FALSE(ApplyRequest(Target(), "m", ParentObject(), {"u", "7"}).metadata_only);
}

TEST(RequestBuilder, SecretIsPostedWithPasswords) {
  const Operation op = SecretOp("s");
  const auto request =
      CreateSecretRequest(op.target, "m", std::get<EnsureSecret>(op.action), std::string(32, 'r'));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/namespaces/default/secrets?fieldManager=m");
  const Json body = *ParseJson(request.body);
  EXPECT_EQ(FindString(body, {"stringData", "password"}).size(), 32u);
  EXPECT_EQ(FindString(body, {"metadata", "labels", "app"}), "iris");
  EXPECT_EQ(Find(body, {"metadata", "ownerReferences"}), nullptr);
}

TEST(GeneratePassword, IsAlphanumericAndDependsOnSecretAndLabel) {
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const std::string password = GeneratePassword(std::string(16, static_cast<char>(i)), "a");
    EXPECT_EQ(password.size(), 32u);
    EXPECT_TRUE(std::all_of(password.begin(), password.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }));
    seen.insert(password);
    seen.insert(GeneratePassword(std::string(16, static_cast<char>(i)), "b"));
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(FieldPath, FieldIsPlannedWhenThePlanSetsIt) {
  const Json desired = *ParseJson(
      R"({"metadata":{"labels":{"a.b/c":"1"}},"spec":{"ports":[{"port":1}],"n":1},"data":{"k":"v"}})");
  for (const char* path : {"spec", "spec.n", "spec.ports[0].port", "spec.ports[3].name", "data[k]",
                           "metadata.labels", "metadata.labels[a.b/c]", "spec.n.deeper"}) {
    EXPECT_TRUE(IsPlanned(desired, path, false)) << path;
  }
  for (const char* path :
       {"", "<nil>", "spec.clusterIP", "status", "data[x]", "status.a", "[", ".", "a["}) {
    EXPECT_FALSE(IsPlanned(desired, path, false)) << path;
  }
  EXPECT_TRUE(IsPlanned(desired, "spec.selector", true));
  EXPECT_FALSE(IsPlanned(desired, "other", true));
}

}  // namespace
}  // namespace xebec::applier
