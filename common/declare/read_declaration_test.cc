// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "absl/strings/escaping.h"
#include "common/declare/declaration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Json Valid() {
  return Json::parse(R"({
    "apiVersion": "xebec.dev/v1alpha1", "kind": "Operator",
    "metadata": {"name": "web.example.com", "uid": "u1", "generation": 3},
    "spec": {
      "parent": {"group": "example.com", "version": "v1", "resource": "webs"},
      "children": [{"group": "apps", "version": "v1", "resource": "deployments",
                    "fields": ["spec"], "stateful": true}],
      "related": [{"version": "v1", "resource": "configmaps", "labelSelector": "app=web"}],
      "finalizer": true,
      "hook": {"service": {"namespace": "shop", "name": "web", "port": 8443}, "timeout": "3s",
               "clock": true},
      "resync": "10m",
      "configuration": {"image": "nginx"}}})");
}

TEST(ReadDeclaration, ReadsEveryField) {
  const auto read = ReadDeclaration(Valid());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "web.example.com");
  EXPECT_EQ(read->uid, "u1");
  EXPECT_EQ(read->generation, 3);
  EXPECT_EQ(Describe(read->parent), "webs.example.com/v1");
  ASSERT_EQ(read->children.size(), 1u);
  EXPECT_TRUE(read->children[0].stateful);
  EXPECT_EQ(read->children[0].fields, std::vector<std::string>{"spec"});
  ASSERT_EQ(read->related.size(), 1u);
  EXPECT_EQ(read->related[0].label_selector, "app=web");
  EXPECT_TRUE(read->finalizer);
  EXPECT_TRUE(read->status);
  EXPECT_EQ(Describe(read->hook), "service shop/web:8443");
  EXPECT_EQ(read->timeout, absl::Seconds(3));
  EXPECT_TRUE(read->clock);
  EXPECT_EQ(read->resync, absl::Minutes(10));
  EXPECT_EQ(read->configuration, R"({"image":"nginx"})");
  EXPECT_FALSE(read->deleting);
}

TEST(ReadDeclaration, ReadsTlsAndHttp) {
  Json object = Valid();
  const std::string pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  object["spec"]["hook"] = {
      {"address", "hooks.example.com:443/web"},
      {"protocol", "HTTP"},
      {"tls", {{"caBundle", absl::Base64Escape(pem)}, {"serverName", "web"}}}};
  const auto read = ReadDeclaration(object);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->hook.protocol, HookProtocol::kHttp);
  EXPECT_EQ(read->hook.tls, (HookTls{pem, "web", ""}));
}

TEST(ReadDeclaration, OfOneThatIsBeingDeletedOnlyTheParentMustBeValid) {
  Json object = Valid();
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["spec"]["hook"] = {{"address", "nowhere"}};
  object["spec"]["children"][0]["resource"] = "Not A Resource";
  const auto read = ReadDeclaration(object);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->deleting);
  EXPECT_EQ(ResourcesOf(*read), (std::vector<DeclaredResource>{read->parent}));
  object["spec"]["parent"]["resource"] = "Not A Resource";
  EXPECT_THAT(std::string(ReadDeclaration(object).status().message()),
              StartsWith("spec.parent.resource"));
}

struct Wrong {
  const char* pointer;
  Json value;
  const char* error;
};

TEST(ReadDeclaration, SaysWhichFieldIsWrongAndWhatToDo) {
  const std::vector<Wrong> cases = {
      {"/spec/children/0/labelSelector", "app in web",
       "spec.children[0].labelSelector has the requirement \"app in web\""},
      {"/spec/children/0/parentLabel", "example.com/owner",
       "spec.children[0].stateful must be false with parentLabel"},
      {"/spec/related/0/resource", "secrets",
       "spec.related[0].resource is secrets, which no operator may read or write"},
      {"/spec/children/0", Json{{"group", ""}, {"version", "v1"}, {"resource", "secrets"}},
       "spec.children[0].resource is secrets, which no operator may read or write"},
      {"/spec/parent", Json{{"group", ""}, {"version", "v1"}, {"resource", "secrets"}},
       "spec.parent.resource is secrets, which no operator may read or write"},
      {"/spec/parent", Json{{"version", "v1"}, {"resource", "secrets"}},
       "spec.parent.resource is secrets, which no operator may read or write"},
      {"/spec/parent", Json{{"group", ""}, {"version", "v1"}, {"resource", "Secrets"}},
       "spec.parent.resource must be the plural"},
      {"/spec/parent", Json{{"group", ""}, {"version", "v1"}, {"resource", "secrets/status"}},
       "spec.parent.resource must be the plural"},
      {"/spec/hook/address", "https://example.com",
       "spec.hook must have either service or address"},
      {"/spec/hook", Json{{"address", "https://example.com:80"}}, "spec.hook.address must be host"},
      {"/spec/hook", Json{{"address", "example.com"}}, "spec.hook.address must be host"},
      {"/spec/hook", Json{{"address", "example.com:0"}}, "spec.hook.address must be host"},
      {"/spec/hook", Json{{"address", "user@example.com:80"}}, "spec.hook.address must be host"},
      {"/spec/hook", Json{{"address", "example.com:80/path"}}, "spec.hook.address must be host"},
      {"/spec/hook", Json{{"protocol", "HTTP"}, {"address", "example.com:80/a:b"}},
       "spec.hook.address must be host"},
      {"/spec/hook", nullptr, "spec.hook must have either"},
      {"/spec/hook/service/port", 0, "spec.hook.service.port must be an integer from 1"},
      {"/spec/hook/timeout", "1h", "spec.hook.timeout must be a duration from 100ms to 1m"},
      {"/spec/hook/tls", Json{{"caBundle", "%%"}}, "spec.hook.tls.caBundle must be"},
      {"/spec/hook/tls", Json{{"caBundle", "AAAA"}}, "spec.hook.tls.caBundle must be"},
      {"/spec/hook/protocol", "SOAP", "spec.hook.protocol must be GRPC or HTTP"},
      {"/spec/parent/version", "", "spec.parent.version must be a version"},
      {"/spec/parent/resource", "Webs", "spec.parent.resource must be the plural"},
      {"/spec/parent", "webs", "spec.parent must be an object"},
      {"/spec/children/0/fields", "spec", "spec.children[0].fields must be a list of strings"},
      {"/spec/children/0/stateful", "yes", "spec.children[0].stateful must be true or false"},
      {"/spec/children/0", 7, "spec.children[0] must be an object"},
      {"/spec/children/0", Json{{"group", "example.com"}, {"version", "v1"}, {"resource", "webs"}},
       "spec.children[0] is the resource of the parents"},
      {"/spec/children/1", Json{{"group", "apps"}, {"version", "v1"}, {"resource", "deployments"}},
       "spec.children[1] names a resource that is already in the list"},
      {"/spec/children/0/group", "rbac.authorization.k8s.io", "spec.children[0].resource belongs"},
      {"/spec/parent/group", "xebec.dev", "spec.parent.resource declares operators"},
      {"/spec/resync", "10", "spec.resync must be a duration"},
      {"/spec/configuration", "x", "spec.configuration must be an object"},
      {"/metadata/name", std::string(101, 'a'), "metadata.name must have at most 100"},
  };
  for (const Wrong& each : cases) {
    Json object = Valid();
    object[Json::json_pointer(each.pointer)] = each.value;
    const auto read = ReadDeclaration(object);
    ASSERT_FALSE(read.ok()) << each.pointer;
    EXPECT_THAT(std::string(read.status().message()), StartsWith(each.error)) << each.pointer;
  }
}

TEST(ReadDeclaration, SecretsOfAnotherGroupMayBeParents) {
  Json object = Valid();
  object["spec"]["parent"]["resource"] = "secrets";
  const auto read = ReadDeclaration(object);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Describe(read->parent), "secrets.example.com/v1");
}

TEST(ReadDeclaration, SecretsAreNotParentsOfAnOperatorThatIsBeingDeleted) {
  Json object = Valid();
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["spec"]["parent"] = {{"group", ""}, {"version", "v1"}, {"resource", "secrets"}};
  EXPECT_THAT(std::string(ReadDeclaration(object).status().message()),
              StartsWith("spec.parent.resource is secrets"));
}

TEST(ReadDeclaration, SurvivesEveryTypeInEveryField) {
  const Json values = Json::parse(R"([null, 1, "x", true, [], {}, [[]], [null]])");
  const Json flat = Valid().flatten();
  for (const auto& [pointer, old] : flat.items()) {
    for (const Json& value : values) {
      Json object = Valid();
      object[Json::json_pointer(pointer)] = value;
      (void)ReadDeclaration(object);
    }
  }
  for (const Json& value : values) {
    (void)ReadDeclaration(value);
    (void)ReadDeclaration({{"spec", value}});
  }
}

}  // namespace
}  // namespace xebec
