// SPDX-License-Identifier: Apache-2.0
#include "common/codec/codec.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace xebec::codec {
namespace {

template <typename Message>
Message Read(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

template <typename Result>
std::string Error(const Result& result) {
  if (result.ok()) return "decoded";
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(result.status().message());
}

std::string ObservationError(const std::string& text) {
  return Error(DecodeObservation(Read<v1::Observation>("parent { json: '{}' } " + text)));
}

std::string PlanError(const std::string& text) { return Error(DecodePlan(Read<v1::Plan>(text))); }

const std::string kTarget =
    "target { type { version: 'v1' kind: 'Pod' plural: 'pods' } name: 'a' } ";

std::string OperationError(const std::string& text) {
  return PlanError("stages { operations { id: 'x' " + text + " } }");
}

// Requests made by hand.

TEST(DecodeObservation, AParentAloneIsEnough) {
  const auto observation =
      DecodeObservation(Read<v1::Observation>("parent { json: '{\"kind\":\"Iris\"}' }"));
  ASSERT_TRUE(observation.ok()) << observation.status();
  EXPECT_EQ(*observation->parent, "{\"kind\":\"Iris\"}");
  EXPECT_EQ(observation->phase, Phase::kDerive);
  EXPECT_EQ(observation->now, absl::InfinitePast());
  EXPECT_EQ(observation->envelope, Envelope());
}

TEST(DecodeObservation, AnEmptyGroupSaysLookedAndFoundNone) {
  const auto observation = DecodeObservation(Read<v1::Observation>(
      "parent { json: '{}' } children { type { version: 'v1' kind: 'Pod' } live: true }"));
  ASSERT_TRUE(observation.ok()) << observation.status();
  ASSERT_EQ(observation->children.size(), 1u);
  EXPECT_TRUE(observation->children[0].live);
}

TEST(FormOf, IsTheParents) {
  EXPECT_EQ(FormOf(v1::Observation()), ObjectForm::kJson);
  EXPECT_EQ(FormOf(Read<v1::Observation>("parent { json: '{}' }")), ObjectForm::kJson);
  EXPECT_EQ(FormOf(Read<v1::Observation>("parent { object {} }")), ObjectForm::kObject);
}

// Faults are named.

TEST(DecodeObservation, FaultsAreNamedByField) {
  EXPECT_EQ(Error(DecodeObservation(v1::Observation())), "observation.parent: is required");
  EXPECT_EQ(Error(DecodeObservation(Read<v1::Observation>("parent {}"))),
            "observation.parent: has neither json nor object");
  EXPECT_EQ(ObservationError("phase: 7"), "observation.phase: unknown value 7");
  EXPECT_EQ(ObservationError("now { nanos: -1 }"), "observation.now.nanos: must be 0 to 999999999");
  EXPECT_EQ(ObservationError("now { seconds: 253402300800 }"),
            "observation.now.seconds: outside the years 1 to 9999");
  EXPECT_EQ(ObservationError("children {}"),
            "observation.children[0].type.version: must not be empty");
  EXPECT_EQ(ObservationError("related { type { version: 'v1' } }"),
            "observation.related[0].type.kind: must not be empty");
  EXPECT_EQ(ObservationError("last_outcomes {}"),
            "observation.last_outcomes[0].operation: must not be empty");
  EXPECT_EQ(ObservationError("envelope { not_after { seconds: 999999999999 } }"),
            "observation.envelope.not_after.seconds: outside the years 1 to 9999");
}

TEST(DecodeObservation, FaultsInsideObjectsAreNamedToo) {
  EXPECT_EQ(
      ObservationError("children { type { version: 'v1' kind: 'Pod' } } "
                       "children { type { version: 'v1' kind: 'Pod' } objects { json: '{' } }"),
      "observation.children[1].objects[0].json: JSON: unexpected end of input; "
      "expected string literal at line 1, column 2");
  EXPECT_EQ(
      ObservationError("children { type { version: 'v1' kind: 'Pod' } objects { json: '[]' } }"),
      "observation.children[0].objects[0].json: JSON: expected an object");
  EXPECT_EQ(
      ObservationError("children { type { version: 'v1' kind: 'Pod' } objects { object { fields { "
                       "key: 'spec' value { list_value { values {} } } } } } }"),
      "observation.children[0].objects[0].object.spec[0]: a value without a kind");
  EXPECT_EQ(ObservationError("related { type { version: 'v1' kind: 'Pod' } objects { object { "
                             "fields { key: 'a' value { number_value: nan } } } } }"),
            "observation.related[0].objects[0].object.a: NaN and infinite numbers are not valid "
            "JSON");
}

TEST(DecodePlan, FaultsAreNamedByField) {
  EXPECT_EQ(PlanError("verdict: 9"), "plan.verdict: unknown value 9");
  EXPECT_EQ(PlanError("resync_after { seconds: -1 }"),
            "plan.resync_after.seconds: must be 0 to 315576000000");
  EXPECT_EQ(PlanError("children { ref { type { version: 'v1' kind: 'Pod' } name: 'a' } }"),
            "plan.children[0].intent: is missing");
  EXPECT_EQ(PlanError("children {}"), "plan.children[0].ref.type.version: must not be empty");
  EXPECT_EQ(PlanError("status {}"), "plan.status.object: has neither json nor object");
  EXPECT_EQ(PlanError("live_lists {}"), "plan.live_lists[0].version: must not be empty");
  EXPECT_EQ(PlanError("event_reads {}"), "plan.event_reads[0].type.version: must not be empty");
}

TEST(DecodePlan, FaultsOfOperationsAreNamedByField) {
  const std::string at = "plan.stages[0].operations[0].";
  EXPECT_EQ(PlanError("stages { operations {} }"), at + "id: must not be empty");
  EXPECT_EQ(OperationError(""), at + "target.type.version: must not be empty");
  EXPECT_EQ(OperationError("target { type { version: 'v1' kind: 'Pod' } name: 'a' }"),
            at + "target.type.plural: must not be empty");
  EXPECT_EQ(OperationError("target { type { version: 'v1' kind: 'Pod' plural: 'pods' } }"),
            at + "target.name: must not be empty");
  EXPECT_EQ(OperationError(kTarget), at + "action: is missing or unknown to this version");
  EXPECT_EQ(OperationError(kTarget + "apply {}"), at + "apply.object: has neither json nor object");
  EXPECT_EQ(OperationError(kTarget + "delete { propagation: 8 }"),
            at + "delete.propagation: unknown value 8");
  EXPECT_EQ(OperationError(kTarget + "add_finalizer {}"),
            at + "add_finalizer.finalizer: must not be empty");
  EXPECT_EQ(OperationError(kTarget + "delete {} precondition { resource_version: '7' }"),
            at + "precondition.resource_version: requires a uid");
  EXPECT_EQ(
      OperationError(kTarget + "delete {} precondition { absent: true resource_version: '7' }"),
      at + "precondition.resource_version: requires a uid");
  EXPECT_EQ(OperationError(kTarget + "delete {} events { condition: 5 }"),
            at + "events[0].condition: unknown value 5");
  EXPECT_EQ(OperationError(kTarget + "delete {}"), "decoded");
}

TEST(DecodePlan, DesiredObjectsPassThroughWithoutBeingParsed) {
  const auto plan = DecodePlan(Read<v1::Plan>("stages { operations { id: 'x' " + kTarget +
                                              "apply { object { json: '{not json' } } } }"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Action& action = plan->stages[0].operations[0].action;
  EXPECT_EQ(*std::get<Apply>(action).object, "{not json");
}

TEST(DecodePlan, OperationsHaveIdsOfTheirOwn) {
  const std::string operation = "operations { id: 'x' " + kTarget + "delete {} } ";
  EXPECT_EQ(PlanError("stages { " + operation + "} stages { " + operation + "}"),
            "plan.stages[1].operations[0].id: \"x\" is used twice");
  EXPECT_EQ(PlanError("stages { operations { id: 'status' " + kTarget + "delete {} } }"),
            "plan.stages[0].operations[0].id: \"status\" is used twice");
}

TEST(DecodeDescription, FaultsAreNamedByField) {
  EXPECT_EQ(Error(DecodeDescription(Read<v1::DescribeKindsResponse>("kinds {}"))),
            "kinds[0].controller: must not be empty");
  EXPECT_EQ(Error(DecodeDescription(
                Read<v1::DescribeKindsResponse>("kinds { controller: 'c' parent { version: 'v1' "
                                                "kind: 'A' plural: 'as' } children {} }"))),
            "kinds[0].children[0].type.version: must not be empty");
}

// Newer peers.

TEST(DecodeReport, CodesOfANewerApplierAreUnexpectedAndUnknown) {
  const auto report =
      DecodeReport(Read<v1::Report>("outcomes { operation: 'x' code: 99 certainty: 99 }"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outcomes[0].code, OutcomeCode::kUnexpected);
  EXPECT_EQ(report->outcomes[0].certainty, Certainty::kUnknown);
}

TEST(DecodePlan, AnUnknownCompletenessPromisesNothing) {
  EXPECT_FALSE(DecodePlan(Read<v1::Plan>("completeness: 9"))->complete);
  EXPECT_FALSE(DecodePlan(v1::Plan())->complete);
}

TEST(DecodeCapabilities, AnEmptyListSaysNothingAndUnknownValuesAreIgnored) {
  google::protobuf::RepeatedField<int> list;
  EXPECT_EQ(DecodeCapabilities(list), Capabilities{});
  list.Add(99);
  EXPECT_EQ(DecodeCapabilities(list),
            (Capabilities{
                .live_list = false, .ensure_secret = false, .hooks = false, .event_reads = false}));
  list.Add(v1::CAPABILITY_LIVE_LIST);
  EXPECT_EQ(DecodeCapabilities(list),
            (Capabilities{
                .live_list = true, .ensure_secret = false, .hooks = false, .event_reads = false}));
}

}  // namespace
}  // namespace xebec::codec
