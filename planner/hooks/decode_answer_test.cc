// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner/hooks/testing/hook_scene.h"
#include "tests/support/planning.h"

namespace xebec::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace wire = ::xebec::hooks::v1;

std::string Whole(const Plan& plan) { return plan.notes.empty() ? "no note" : plan.notes.back(); }

struct BadAnswer {
  const char* name;
  std::function<void(wire::SyncResponse*)> spoil;
  const char* error;
};

void SetObject(const char* text, wire::SyncResponse* answer) {
  answer->mutable_desired()->mutable_children(0)->set_object(text);
}

const std::vector<BadAnswer>& BadChildren() {
  static const std::vector<BadAnswer> answers = {
      {"nothing", [](auto* a) { a->clear_desired(); }, "neither a desired state nor an error"},
      {"no json", [](auto* a) { SetObject("{", a); }, "desired.children[0]: object is not JSON"},
      {"a list", [](auto* a) { SetObject("[]", a); }, "object is not a JSON object"},
      {"no metadata", [](auto* a) { SetObject("{}", a); }, "object has no metadata"},
      {"no name",
       [](auto* a) {
         SetObject(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{}})", a);
       },
       "a Deployment has no metadata.name"},
      {"an impossible name",
       [](auto* a) {
         SetObject(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"A/b"}})", a);
       },
       "is not a valid name"},
      {"a name with NUL",
       [](auto* a) {
         SetObject(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a\u0000b"}})",
                   a);
       },
       "is not a valid name"},
      {"half a surrogate pair", [](auto* a) { SetObject(R"({"a":"\ud800"})", a); },
       "object is not JSON"},
      {"a key twice", [](auto* a) { SetObject(R"({"metadata":{},"metadata":{}})", a); },
       "object is not JSON"},
      {"a number beyond all limits", [](auto* a) { SetObject(R"({"a":1e400})", a); },
       "object is not JSON"},
      {"an integer beyond 64 bits", [](auto* a) { SetObject(R"({"a":18446744073709551616})", a); },
       "object is not JSON"},
      {"another namespace",
       [](auto* a) {
         SetObject(
             R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"b"}})",
             a);
       },
       R"(Deployment "a" is in namespace "b", but the parent is in "shop")"},
      {"an undeclared kind",
       [](auto* a) { SetObject(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})", a); },
       "the Operator declares no children of kind Pod (v1)"},
      {"owners",
       [](auto* a) {
         SetObject(
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[]}})",
             a);
       },
       "must not have metadata.ownerReferences"},
      {"labels of numbers",
       [](auto* a) {
         SetObject(
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":1}}})",
             a);
       },
       "metadata.labels.x must be a string"},
      {"a child twice",
       [](auto* a) { *a->mutable_desired()->add_children() = a->desired().children(0); },
       R"(desired.children[1]: Deployment "a" appears twice)"},
      {"too many children",
       [](auto* a) {
         for (int i = 0; i < 500; ++i) a->mutable_desired()->add_children();
       },
       "desired.children has 501 entries; the limit is 500"},
      {"a long memo",
       [](auto* a) { a->mutable_desired()->mutable_children(0)->set_memo(std::string(5120, 'm')); },
       R"(desired.children[0]: Deployment "a": memo has 5120 bytes; the limit is 4096)"},
  };
  return answers;
}

std::string ConfigMapName(int number) { return "c" + std::to_string(number); }

void DeleteConfigMaps(int count, wire::SyncResponse* answer) {
  for (int i = 0; i < count; ++i) {
    wire::Deletion* deletion = answer->mutable_desired()->add_deletions();
    deletion->set_api_version("v1");
    deletion->set_kind("ConfigMap");
    deletion->set_name(ConfigMapName(i));
  }
}

constexpr size_t kMaxStatus = 256 * 1024;

std::string StatusOfSize(size_t bytes) {
  const std::string frame = R"({"a":""})";
  return frame.substr(0, 6) + std::string(bytes - frame.size(), 'x') + frame.substr(6);
}

const std::vector<BadAnswer>& BadRest() {
  static const std::vector<BadAnswer> answers = {
      {"a status of text", [](auto* a) { a->mutable_desired()->set_status("\"x\""); },
       "desired.status is not a JSON object"},
      {"a deep status",
       [](auto* a) {
         a->mutable_desired()->set_status(std::string(100, '[') + std::string(100, ']'));
       },
       "desired.status is not JSON"},
      {"conditions in the status",
       [](auto* a) { a->mutable_desired()->set_status(R"({"conditions":[]})"); },
       "desired.status must not have conditions"},
      {"an observed generation",
       [](auto* a) { a->mutable_desired()->set_status(R"({"observedGeneration":1})"); },
       "desired.status must not have observedGeneration: Xebec sets it"},
      {"a large status",
       [](auto* a) { a->mutable_desired()->set_status(StatusOfSize(kMaxStatus + 1)); },
       "desired.status has more than 262144 bytes"},
      {"a condition of ours",
       [](auto* a) { a->mutable_desired()->add_conditions()->set_type("Applied"); },
       "condition Applied belongs to Xebec"},
      {"a condition without a reason",
       [](auto* a) {
         auto* condition = a->mutable_desired()->add_conditions();
         condition->set_type("Ready");
         condition->set_status("True");
       },
       "condition Ready has no reason"},
      {"an impossible condition",
       [](auto* a) {
         auto* condition = a->mutable_desired()->add_conditions();
         condition->set_type("Ready");
         condition->set_status("Maybe");
       },
       "status of condition Ready must be"},
      {"a condition twice",
       [](auto* a) {
         for (int i = 0; i < 2; ++i) a->mutable_desired()->add_conditions()->set_type("Ready");
       },
       "condition Ready appears twice"},
      {"an event of small letters",
       [](auto* a) { a->mutable_desired()->add_events()->set_reason("made it"); },
       "must be UpperCamelCase"},
      {"an unknown type of event",
       [](auto* a) {
         auto* event = a->mutable_desired()->add_events();
         event->set_reason("Made");
         event->set_type(static_cast<wire::EventType>(9));
       },
       "event type 9 is unknown"},
      {"an unknown propagation",
       [](auto* a) {
         auto* deletion = a->mutable_desired()->add_deletions();
         deletion->set_api_version("v1");
         deletion->set_kind("ConfigMap");
         deletion->set_name("c");
         deletion->set_propagation(static_cast<wire::Propagation>(9));
       },
       "desired.deletions[0]: propagation 9 is unknown"},
      {"a deletion of an undeclared kind",
       [](auto* a) { a->mutable_desired()->add_deletions()->set_kind("Pod"); },
       "desired.deletions[0]: the Operator declares no children of kind Pod"},
      {"too many deletions", [](auto* a) { DeleteConfigMaps(501, a); },
       "desired.deletions has 501 entries; the limit is 500"},
      {"too many children and an error",
       [](auto* a) {
         a->set_error("x");
         for (int i = 0; i < 1000; ++i) a->mutable_desired()->add_children();
       },
       "desired.children has 1001 entries; the limit is 500"},
  };
  return answers;
}

void ExpectRefused(const BadAnswer& bad) {
  wire::SyncResponse answer = OneDeployment("a");
  bad.spoil(&answer);
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_THAT(Whole(plan), HasSubstr(bad.error)) << bad.name;
  EXPECT_TRUE(plan.stages.empty()) << bad.name;
  EXPECT_EQ(plan.verdict, Verdict::kRetry) << bad.name;
  EXPECT_THAT(DumpJson(StatusOf(plan)), HasSubstr("HookAnswerInvalid")) << bad.name;
}

TEST(DecodeAnswer, SaysWhatIsWrongAndWritesNoChild) {
  for (const BadAnswer& bad : BadChildren()) ExpectRefused(bad);
  for (const BadAnswer& bad : BadRest()) ExpectRefused(bad);
}

TEST(DecodeAnswer, RefusesAChildThatTheWatcherWouldNotSee) {
  Json declaration = WebOperator();
  Json& rule = declaration["spec"]["children"][0];
  rule["labelSelector"] = "app=web";
  wire::SyncResponse answer;
  answer.mutable_desired()->add_children();
  const auto note = [&](const char* metadata, const char* rest) {
    SetObject(absl::StrCat(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a")",
                           metadata, "}", rest, "}")
                  .c_str(),
              &answer);
    return Whole(PlanWithAnswer(ObserveWeb(declaration), answer));
  };
  const char* labels = R"(,"labels":{"app":"web"})";
  const char* spec = R"(,"spec":{"paused":true,"replicas":2})";
  EXPECT_THAT(note("", spec), HasSubstr("desired.children[0]: Deployment \"a\" does not match the "
                                        "labelSelector \"app=web\""));
  EXPECT_EQ(note(labels, spec), "no note");
  rule["fields"] = {"status", "spec.replicas"};
  EXPECT_THAT(note(labels, spec), HasSubstr("Deployment \"a\" has the field spec.paused, which"));
  EXPECT_EQ(note(labels, R"(,"spec":{"replicas":2})"), "no note");
  EXPECT_EQ(note(labels, R"(,"spec":{"replicas":2,"strategy":{},"paused":null})"), "no note")
      << "the API server drops empty fields";
  rule["fields"] = {"spec.replicas", "spec.ports.port"};
  EXPECT_EQ(note(labels, R"(,"spec":{"replicas":2,"ports":[{"port":1}]})"), "no note")
      << "a list is kept as a whole";
  rule["fields"] = {"specs"};
  EXPECT_THAT(note(labels, spec), HasSubstr("has the field spec.paused, which"));
  rule["fields"] = {"spec"};
  EXPECT_EQ(note(labels, spec), "no note");
}

TEST(DecodeAnswer, TakesTheLargestStatus) {
  wire::SyncResponse answer = OneDeployment("a");
  answer.mutable_desired()->set_status(StatusOfSize(kMaxStatus));
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_EQ(StatusOf(plan)["a"].get<std::string>().size(), kMaxStatus - 8);
  EXPECT_FALSE(plan.stages.empty());
}

TEST(DecodeAnswer, TakesTheLongestMemoAndRefusesOneMoreByte) {
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredChild* child = answer.mutable_desired()->mutable_children(0);
  child->set_memo(std::string(4096, 'm'));
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_EQ(plan.stages[0].operations[0].memo, child->memo());
  child->set_memo(std::string(4097, 'm'));
  EXPECT_THAT(Whole(PlanWithAnswer(ObserveWeb(WebOperator()), answer)),
              HasSubstr("memo has 4097 bytes; the limit is 4096"));
}

TEST(DecodeAnswer, TakesAsManyDeletionsAsChildren) {
  Observation observation = ObserveWeb(WebOperator());
  for (int i = 0; i < 500; ++i) {
    const std::string name = ConfigMapName(i);
    AddChild(ConfigMaps(), {{"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", name}}}},
             &observation);
  }
  wire::SyncResponse answer;
  DeleteConfigMaps(500, &answer);
  EXPECT_THAT(OperationIds(PlanWithAnswer(observation, answer)), SizeIs(500));
}

TEST(DecodeAnswer, KeepsNumbersAsTheyAre) {
  wire::SyncResponse answer = OneDeployment("a");
  SetObject(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"numbers":)"
            R"({"largest":18446744073709551615,"minus":-0,"smallest":-9223372036854775808,)"
            R"("whole":1.0}})",
            &answer);
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  const Json numbers = AppliedObject(plan, "apply configmaps shop/c")["numbers"];
  EXPECT_EQ(numbers["largest"].get<uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(numbers["smallest"].get<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(numbers["whole"].is_number_float()) << "not the integer 1";
  EXPECT_EQ(numbers["whole"].get<double>(), 1);
  EXPECT_EQ(numbers["minus"].get<double>(), 0);
}

TEST(DecodeAnswer, RefusesGarbageAndTextsThatAreNotUtf8) {
  for (const std::string& bytes : {std::string("\xff\xff\xff"), std::string("\x12\x05\x0a")}) {
    const Plan plan = PlanWithBytes(ObserveWeb(WebOperator()), bytes);
    EXPECT_THAT(Whole(plan), HasSubstr("it is not a xebec.hooks.v1.SyncResponse"));
  }
  wire::SyncResponse answer;
  answer.set_error("abc");
  std::string bytes = answer.SerializeAsString();
  bytes[bytes.find('b')] = '\xff';
  EXPECT_THAT(Whole(PlanWithBytes(ObserveWeb(WebOperator()), bytes)), HasSubstr("UTF-8"));
}

TEST(DecodeAnswer, RefusesFieldsThatItDoesNotKnow) {
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredChild* child = answer.mutable_desired()->mutable_children(0);
  child->GetReflection()->MutableUnknownFields(child)->AddVarint(99, 1);
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_THAT(Whole(plan), HasSubstr("desired.children[0] has field 99, which this version"));
  EXPECT_TRUE(plan.stages.empty());
}

TEST(DecodeAnswer, DropsTheStatusOfAChildAndRefusesMetadataOfTheApiServer) {
  wire::SyncResponse answer = OneDeployment("a");
  Json object = *ParseJson(answer.desired().children(0).object());
  object["status"] = {{"replicas", 7}};
  SetObject(DumpJson(object).c_str(), &answer);
  const Json applied = AppliedObject(PlanWithAnswer(ObserveWeb(WebOperator()), answer),
                                     "apply deployments.apps shop/a");
  EXPECT_FALSE(applied.contains("status"));
  ASSERT_EQ(applied["metadata"]["ownerReferences"].size(), 1u) << "Xebec sets the owner";
  EXPECT_EQ(applied["metadata"]["ownerReferences"][0]["uid"], "u");
  for (const char* field : {"uid", "resourceVersion", "generateName", "ownerReferences",
                            "finalizers", "deletionTimestamp", "managedFields"}) {
    Json spoilt = object;
    spoilt["metadata"][field] = "x";
    SetObject(DumpJson(spoilt).c_str(), &answer);
    const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
    EXPECT_THAT(Whole(plan), HasSubstr(std::string("must not have metadata.") + field));
    EXPECT_TRUE(plan.stages.empty()) << field;
  }
}

TEST(DecodeAnswer, TakesChildrenWithStagesEventsAndNotes) {
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredChild* child = answer.mutable_desired()->add_children();
  child->set_object(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  child->set_stage(1);
  child->set_memo("remember");
  wire::Event* event = child->add_on_created();
  event->set_reason("Made");
  event->set_type(wire::EVENT_TYPE_WARNING);
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_THAT(OperationIds(plan),
              ElementsAre("apply deployments.apps shop/a", "apply configmaps shop/c"));
  const Operation& second = plan.stages[1].operations[0];
  EXPECT_EQ(second.memo, "remember");
  ASSERT_EQ(second.events.size(), 1u);
  EXPECT_TRUE(second.events[0].warning);
  EXPECT_EQ(second.events[0].action, "Made");
}

TEST(DecodeAnswer, RefusesMoreThanFiftyEventsInAList) {
  wire::SyncResponse answer = OneDeployment("a");
  wire::DesiredChild* child = answer.mutable_desired()->mutable_children(0);
  for (int i = 0; i < 50; ++i) child->add_on_changed()->set_reason("Made");
  EXPECT_EQ(PlanWithAnswer(ObserveWeb(WebOperator()), answer).stages.size(), 1u);
  child->add_on_changed()->set_reason("Made");
  const Plan plan = PlanWithAnswer(ObserveWeb(WebOperator()), answer);
  EXPECT_THAT(Whole(plan),
              HasSubstr("desired.children[0]: on_changed has 51 entries; the limit is 50"));
  EXPECT_TRUE(plan.stages.empty());
}

}  // namespace
}  // namespace xebec::testing
