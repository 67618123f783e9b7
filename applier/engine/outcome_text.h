// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "applier/engine/outcome_table.h"
#include "common/kube/api_request.h"
#include "common/model/report.h"
#include "common/model/resource.h"

namespace xebec::applier {

/// Longest message of an outcome, in bytes.
inline constexpr size_t kMaxMessage = 1024;

/// Writes code, certainty, HTTP status, reason and message of a failed (or uncertain) answer into
/// `outcome`. The message says what the server said and, where that helps, what to do; it is the
/// same for the same failure, so that it can stand in a condition.
void SetFailure(const Decision& decision, const AnswerFacts& facts,
                const kube::ApiResponse& response, Outcome* outcome);

/// Writes an outcome that the applier itself decided; the message is cut to kMaxMessage.
void SetOwn(OutcomeCode code, Certainty certainty, std::string_view reason,
            std::string_view message, Outcome* outcome);

/// Done, and as it should be.
bool Succeeded(const Outcome& outcome);

}  // namespace xebec::applier
