// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "applier/engine/live_object.h"
#include "applier/engine/outcome_table.h"

/// The second half of docs/outcomes.md: what a live read adds when a write's answer did not decide.
namespace xebec::applier {

/// A live read and why it was made.
struct LiveFacts {
  Verb verb = Verb::kCreate;       ///< The write that the read is for.
  AnswerFacts read;                ///< The GET's answer.
  std::optional<LiveObject> live;  ///< Of a 200.
  bool ours = false;               ///< IsOurs of `live`.
  bool same_uid = false;           ///< It is the incarnation that is meant.
  bool same_version = false;  ///< kRemoveFinalizer: it has the version that the plan was made from.
  bool verifying = false;     ///< The read comes first: it proves whose the object is.
  bool may_touch = false;     ///< With `verifying`: MayTouch of `live`.
  bool has_finalizer = false;  ///< kRemoveFinalizer.
};

/// The rows H1… (create-only met an object), O1 (second controller), P1… (status not found), D1…
/// (whose is it), Q1… (finalizer to remove) and G1 (the read itself failed); total.
Decision DecideLive(const LiveFacts& facts);

}  // namespace xebec::applier
