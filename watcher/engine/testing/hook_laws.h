// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "common/model/observation.h"
#include "common/model/plan.h"

namespace xebec::watcher::testing {

/// The laws of declared controllers: a watcher never goes back to an older declaration, observes no
/// parent of a paused one, and sends no plan but one that was made from the answer to the request
/// that its observation results in, which names the declaration of that observation. Each function
/// returns the law that is violated, or an empty text.
class HookLaws {
 public:
  /// A planner needs the answer to this request.
  void OnAsked(const HookRequest& request);
  /// A watcher sends an observation of a parent of a declared controller.
  std::string OnObserved(const Observation& observation);
  /// The planner takes the answer to the request with this digest for that observation.
  void OnAnswerTaken(const Envelope& envelope, const std::string& digest);
  /// A watcher sends a plan for a parent of a declared controller.
  std::string OnSent(const Plan& plan) const;
  /// The uid of the declaration that the plan with this envelope was made for; empty if unknown.
  std::string DeclarationOf(const Envelope& envelope) const;

 private:
  struct Question {  // a request
    std::string parent_uid, parent_version, endpoint;
    int64_t id = 0;
  };
  struct Basis {              // what a plan is made from
    std::string declaration;  // its uid
    int64_t id = 0;           // of the declaration's configuration
    std::string endpoint;
    std::string parent_version;
    std::optional<Question> answered;
  };
  using Key = std::tuple<std::string, std::string, std::string>;  // watcher, controller, parent uid

  static Key KeyOf(const Envelope& envelope) {
    return {envelope.watcher, envelope.controller, envelope.parent.uid};
  }

  std::map<std::string, Question> questions_;  // by digest
  std::map<Key, Basis> bases_;
  /// The creation and generation of the newest declaration, by watcher and controller.
  std::map<std::pair<std::string, std::string>, std::pair<std::string, int64_t>> newest_;
};

}  // namespace xebec::watcher::testing
