// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "applier/engine/outcomes/outcome_table.h"
#include "common/model/report.h"
#include "common/model/resource.h"

namespace xebec::applier {

/// Longest message of an outcome, in bytes.
inline constexpr size_t kMaxMessage = 1024;

/// Writes code, certainty, HTTP status, reason and message of a failed (or uncertain) answer into
/// `outcome`. The message contains the server's message and advice. The same failure always has the
/// same message, so that a condition with it does not change.
void SetFailure(const Decision& decision, const AnswerFacts& facts, Outcome* outcome);

/// Writes an outcome that the applier itself decided. The message is cut to kMaxMessage.
void SetOwn(OutcomeCode code, Certainty certainty, std::string_view reason,
            std::string_view message, Outcome* outcome);

/// Returns true if the operation is done.
bool Succeeded(const Outcome& outcome);

}  // namespace xebec::applier
