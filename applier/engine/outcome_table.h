// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/kube/api_status.h"
#include "common/model/report.h"

/// The one table that turns answers of the API server into outcomes (design §3.14).
/// docs/outcomes.md is its text, row by row.
namespace xebec::applier {

/// What a request tried, with its precondition: each value is one bit.
enum class Verb : uint16_t {
  kCreate = 1,            ///< Apply, create-only.
  kUpdate = 2,            ///< Apply by uid.
  kDelete = 4,            ///< Delete by uid.
  kAddFinalizer = 8,      ///< Apply of the finalizer by uid and resourceVersion.
  kRemoveFinalizer = 16,  ///< JSON patch that tests uid and resourceVersion.
  kEnsureSecret = 32,     ///< POST.
  kStatus = 64,           ///< Apply of the status by resourceVersion.
};

/// An answer with what the rows look at.
struct AnswerFacts {
  Verb verb = Verb::kCreate;
  int http = 0;  ///< 0 with a transport error.
  kube::TransportError error = kube::TransportError::kNone;
  kube::ApiStatus status;         ///< Of an answer other than 2xx.
  bool readable = true;           ///< A 2xx body is a JSON object.
  bool unchanged = false;         ///< A 2xx answer shows the version from before the write.
  std::string target_name;        ///< Name of the object written.
  const Json* desired = nullptr;  ///< What was sent, where it has fields that can be blamed.
};

/// What happens next with the operation.
enum class NextStep {
  kFinish,     ///< The outcome stands.
  kReadLive,   ///< Read the live object: live_table.h decides.
  kWriteLive,  ///< Write again, what was read being the precondition.
};

/// A row's right side.
struct Decision {
  std::string_view row;  ///< Its id in docs/outcomes.md: "C1".
  OutcomeCode code = OutcomeCode::kUnexpected;
  Certainty certainty = Certainty::kRejected;
  NextStep next = NextStep::kFinish;
};

/// One row: the first that matches decides.
struct OutcomeRow {
  Decision decision;
  uint16_t verbs;                       ///< Bits of Verb.
  int http_low, http_high;              ///< Inclusive; 0 and 0 for transport errors.
  bool (*matches)(const AnswerFacts&);  ///< Null: always.
};

/// All rows, in order.
const std::vector<OutcomeRow>& OutcomeTable();

/// The decision of the first row that matches; total.
Decision Decide(const AnswerFacts& facts);

/// The facts of an answer, but for `unchanged` and `desired`.
AnswerFacts ReadFacts(Verb verb, const kube::ApiResponse& response, std::string_view target_name);

}  // namespace xebec::applier
