// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "applier/engine/outcomes/live_object.h"
#include "applier/engine/outcomes/outcome_table.h"

/// The second table of docs/outcomes.md: decisions from a live read, if a write's answer did not
/// decide.
namespace xebec::applier {

/// A live read and its purpose.
struct LiveFacts {
  Verb verb = Verb::kCreate;       ///< The write that needs the read.
  AnswerFacts read;                ///< The GET's answer.
  std::optional<LiveObject> live;  ///< Of a 200.
  bool ours = false;               ///< IsOurs of `live`.
  bool as_desired = false;         ///< kCreate: it is ours and was created from this very object.
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
