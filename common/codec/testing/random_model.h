// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::codec {

/// Makes random valid values of the model. The same seed gives the same values.
class RandomModel {
 public:
  explicit RandomModel(uint32_t seed) : random_(seed) {}

  xebec::Observation MakeObservation();
  xebec::Plan MakePlan();
  xebec::Report MakeReport();
  PlannerDescription MakeDescription();
  HookCall MakeHookCall();
  HookReply MakeHookReply();

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  bool Coin() { return Below(2) == 0; }
  std::string Text();
  std::string Name() { return "n" + std::to_string(Below(1000)); }
  absl::Time Instant();
  absl::Duration Span();
  ObjectBytes Object();
  ResourceType Type();
  ObjectRef Ref();
  Envelope MakeEnvelope();
  Outcome MakeOutcome();
  ObjectGroup Group();
  EventFact Event();
  ConditionValue Condition();
  Action MakeAction();
  Operation MakeOperation(int number);
  StatusIntent MakeStatus();
  ChildRule Rule();
  HookFailure Failure();
  HookState State();
  HookAnswer Answer();
  DeclarationFacts Facts();
  template <typename Make>
  auto Many(Make make) {
    std::vector<decltype(make())> values(Below(4));
    for (auto& value : values) value = make();
    return values;
  }

  std::mt19937 random_;
};

}  // namespace xebec::codec
