// SPDX-License-Identifier: Apache-2.0
// `xebec hook check` and `xebec plan --hook` with hooks that break the rules.
#include "cli/commands/hook_check.h"

#include <atomic>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "cli/commands/plan.h"
#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/fake_hook.h"

namespace xebec::cli {
namespace {

using namespace gateway::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Manifests(const std::string& timeout = "10s") {
  return R"({"apiVersion": "xebec.dev/v1alpha1", "kind": "List", "items": [
    {"apiVersion": "xebec.dev/v1alpha1", "kind": "Operator", "metadata": {"name": "web"},
     "spec": {"parent": {"group": "example.com", "version": "v1", "resource": "webs"},
              "children": [{"version": "v1", "resource": "configmaps"}],
              "hook": {"service": {"namespace": "shop", "name": "web", "port": 50051},
                       "timeout": ")" +
         timeout + R"("}}},
    {"apiVersion": "example.com/v1", "kind": "Web",
     "metadata": {"name": "one", "namespace": "shop"}, "spec": {"replicas": 2}}]})";
}

SyncReply Children(int count, const std::string& metadata = R"("name": "c)") {
  hooks::v1::SyncResponse response;
  for (int i = 0; i < count; ++i) {
    response.mutable_desired()->add_children()->set_object(
        R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {)" + metadata +
        std::to_string(i) + R"("}})");
  }
  return {grpc::Status::OK, response.SerializeAsString()};
}

struct Checked {
  absl::Status status;
  std::string text;
};

Checked CheckManifests(const std::string& manifests, const std::string& address,
                       bool json = false) {
  std::istringstream in(manifests);
  std::ostringstream out;
  HookCheckOptions options;
  options.files = {"-"};
  options.hook.address = address;
  options.json = json;
  const absl::Status status = CheckHook(options, in, out);
  return {status, out.str()};
}

Checked CheckAt(const std::string& address, const std::string& timeout = "10s", bool json = false) {
  return CheckManifests(Manifests(timeout), address, json);
}

Checked CheckThat(SyncBehaviour behaviour, const std::string& timeout = "10s") {
  FakeHook hook({.behaviour = std::move(behaviour)});
  return CheckAt(hook.address(), timeout);
}

TEST(HookCheck, AHookThatFollowsTheRulesPasses) {
  for (const bool streams : {false, true}) {
    FakeHook hook(
        {.sync_stream = streams, .behaviour = [](const std::string&) { return Children(2); }});
    const Checked checked = CheckAt(hook.address());
    EXPECT_TRUE(checked.status.ok()) << checked.text;
    EXPECT_THAT(checked.text, AllOf(HasSubstr("ok   describe   revision v1"),
                                    HasSubstr("\nWeb shop/one\nok   request"),
                                    HasSubstr("repeat     3 equal requests have equal answers"),
                                    HasSubstr("decision   2 objects to apply, 0 objects to delete"),
                                    HasSubstr("plan       2 operations"), Not(HasSubstr("FAIL"))));
    EXPECT_EQ(hook.syncs(), 3u);
  }
}

TEST(HookCheck, AHookThatChangesItsMindFails) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const Checked checked = CheckThat(
      [calls](const std::string&) { return Desire("{\"n\":" + std::to_string(++*calls) + "}"); });
  EXPECT_THAT(checked.text, HasSubstr("FAIL   repeat     equal requests have different answers: "
                                      "desired.status.n is 1, then 2; decide from"));
  EXPECT_EQ(checked.status.message(), "1 of 7 checks failed");
}

TEST(HookCheck, AnswersThatThePlannerRefusesFail) {
  const std::vector<std::pair<SyncReply, std::string>> cases = {
      {Children(501), "desired.children has 501 entries; the limit is 500"},
      {Children(1, R"("labels": {}, "x": ")"), "a ConfigMap has no metadata.name"},
      {Children(1, R"("namespace": "other", "name": ")"), "is in namespace \"other\""},
      {Desire("{\"conditions\": []}"), "desired.status must not have conditions"}};
  for (const auto& [reply, message] : cases) {
    const Checked checked = CheckThat([reply = reply](const std::string&) { return reply; });
    EXPECT_THAT(checked.text, AllOf(HasSubstr("FAIL   decision"), HasSubstr(message)));
    EXPECT_EQ(checked.status.code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(HookCheck, UnknownEnumValuesAndInvalidTextFail) {
  hooks::v1::SyncResponse unknown;
  hooks::v1::Event* event = unknown.mutable_desired()->add_events();
  event->set_reason("Sold");
  event->set_type(static_cast<hooks::v1::EventType>(9));
  const SyncReply reply{grpc::Status::OK, unknown.SerializeAsString()};
  EXPECT_THAT(CheckThat([&](const std::string&) { return reply; }).text,
              HasSubstr("event type 9 is unknown"));
  const SyncReply latin1{grpc::Status::OK, "\x12\x01\xe9"};
  EXPECT_THAT(CheckThat([&](const std::string&) { return latin1; }).text,
              AllOf(HasSubstr("FAIL   answer"), HasSubstr("not UTF-8")));
}

TEST(HookCheck, AHookThatDoesNotAnswerInTimeFails) {
  EXPECT_THAT(CheckThat([](const std::string&) { return std::nullopt; }, "200ms").text,
              AllOf(HasSubstr("FAIL   answer"), HasSubstr("did not answer within 200ms")));
}

TEST(HookCheck, AHookThatIsNotThereFails) {
  const std::string address = FakeHook({}).address();
  const Checked checked = CheckAt(address);
  EXPECT_THAT(checked.text, AllOf(HasSubstr("FAIL   describe"), HasSubstr("cannot connect")));
  EXPECT_EQ(checked.status.message(), "1 of 1 check failed");
}

TEST(HookCheck, AHookThatCannotDecideFails) {
  hooks::v1::SyncResponse response;
  response.set_error("the shop is closed");
  const SyncReply reply{grpc::Status::OK, response.SerializeAsString()};
  EXPECT_THAT(CheckThat([&](const std::string&) { return reply; }).text,
              HasSubstr("FAIL   decision   the hook cannot decide: the shop is closed"));
}

TEST(HookCheck, DescribesAsTheOperatorSaysAlsoIfNoParentNeedsACall) {
  const auto ca = kube::testing::MakeCa();
  FakeHook hook({.certificate = kube::testing::MakeCertificate(ca, "web.shop.svc")});
  Json manifests = *ParseJson(Manifests());
  manifests["items"][0]["spec"]["hook"]["tls"]["caBundle"] =
      std::string(ToStd(absl::Base64Escape(ca.cert_pem)));
  manifests["items"][1]["metadata"]["annotations"]["xebec.dev/paused"] = "true";
  const Checked checked = CheckManifests(manifests.dump(), hook.address());
  EXPECT_THAT(checked.text, AllOf(HasSubstr("ok   describe   revision v1"),
                                  HasSubstr("FAIL   request    the planner does not call")));
}

TEST(HookCheck, PrintsJson) {
  FakeHook hook({});
  const absl::StatusOr<Json> json = ParseJson(CheckAt(hook.address(), "10s", true).text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["checks"][0]["check"], "describe");
  EXPECT_EQ((*json)["checks"][0]["ok"], true);
  EXPECT_EQ((*json)["checks"][1]["parent"], "Web shop/one");
}

Checked PlanAt(const std::string& address) {
  std::istringstream in(Manifests());
  std::ostringstream out;
  PlanOptions options;
  options.files = {"-"};
  options.hook.address = address;
  const absl::Status status = MakePlans(options, in, out);
  return {status, out.str()};
}

TEST(PlanWithHook, PlansWhatTheHookDecides) {
  FakeHook hook({.behaviour = [](const std::string&) { return Children(1); }});
  const Checked planned = PlanAt(hook.address());
  EXPECT_TRUE(planned.status.ok()) << planned.status;
  EXPECT_THAT(planned.text, AllOf(HasSubstr("Web shop/one: 1 operation\n"),
                                  HasSubstr("+   apply   ConfigMap shop/c0   absent")));
  EXPECT_EQ(hook.syncs(), 1u);
}

TEST(PlanWithHook, FailsIfTheHookFails) {
  const std::string address = FakeHook({}).address();  // it has ended
  const Checked planned = PlanAt(address);
  EXPECT_EQ(planned.status.message(), "cannot plan 1 of 1 parent");
  EXPECT_THAT(planned.text, HasSubstr("Note: cannot connect to the hook"));
}

}  // namespace
}  // namespace xebec::cli
