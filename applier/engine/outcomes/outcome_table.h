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
#include "common/model/resource.h"

/// The table that maps answers of the API server to outcomes. An HTTP code alone does not decide:
/// 409 has five meanings and 422 four. docs/outcomes.md documents the table row by row.
namespace xebec::applier {

/// The write that a request tried, with its precondition. Each value is one bit.
enum class Verb : uint16_t {
  kCreate = 1,            ///< POST.
  kUpdate = 2,            ///< Apply by uid.
  kDelete = 4,            ///< Delete by uid.
  kAddFinalizer = 8,      ///< Apply of the finalizer by uid and resourceVersion.
  kRemoveFinalizer = 16,  ///< JSON patch that tests uid and resourceVersion.
  kEnsureSecret = 32,     ///< POST.
  kStatus = 64,           ///< Merge patch of the status by resourceVersion.
};

/// An answer with the facts that the rows match.
struct AnswerFacts {
  Verb verb = Verb::kCreate;
  int http = 0;  ///< 0 with a transport error.
  kube::TransportError error = kube::TransportError::kNone;
  kube::ApiStatus status;         ///< Of an answer other than 2xx.
  bool readable = true;           ///< A 2xx body is a JSON object.
  bool unchanged = false;         ///< A 2xx answer shows the version from before the write.
  std::string target_name;        ///< Name of the object written.
  bool namespaced = true;         ///< The object written has a namespace.
  const Json* desired = nullptr;  ///< The body that was sent, if it has desired fields.
};

/// The next step of the operation.
enum class NextStep {
  kFinish,     ///< End with the outcome.
  kReadLive,   ///< Read the live object; live_table.h decides then.
  kWriteLive,  ///< Write again, with the version that was read as the precondition.
};

/// The result of a row.
struct Decision {
  std::string_view row;  ///< Its id in docs/outcomes.md: "C1".
  OutcomeCode code = OutcomeCode::kUnexpected;
  Certainty certainty = Certainty::kRejected;
  NextStep next = NextStep::kFinish;
  bool read_failed = false;  ///< The live read failed: its answer gives the message.
};

/// One row. The first row that matches decides.
struct OutcomeRow {
  Decision decision;
  uint16_t verbs;                       ///< Bits of Verb.
  int http_low, http_high;              ///< Inclusive; 0 and 0 for transport errors.
  bool (*matches)(const AnswerFacts&);  ///< Null: always.
};

/// Returns all rows in order.
const std::vector<OutcomeRow>& OutcomeTable();

/// Returns the decision of the first row that matches. Every answer has one.
Decision Decide(const AnswerFacts& facts);

/// Returns the facts of an answer, except `unchanged` and `desired`.
AnswerFacts ReadFacts(Verb verb, const kube::ApiResponse& response, const ObjectRef& target);

}  // namespace xebec::applier
