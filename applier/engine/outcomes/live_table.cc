// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/live_table.h"

namespace xebec::applier {
namespace {

using enum OutcomeCode;
using enum Certainty;
using enum NextStep;

/// The object itself was not found, as opposed to its kind or namespace.
bool NotFound(const LiveFacts& f) {
  return f.read.http == 404 && f.read.status.details_name == f.read.target_name;
}

Decision DecideCreate(const LiveFacts& f) {
  if (NotFound(f)) return {"H1", kStale, kRejected, kFinish};
  if (f.ours && f.live->deleting) return {"H2", kTerminating, kRejected, kFinish};
  if (f.as_desired) return {"H3", kUnchanged, kDone, kFinish};
  if (f.ours) return {"H4", kUnchanged, kRejected, kWriteLive};
  return {"H5", kNameConflict, kRejected, kFinish};
}

Decision DecideStatus(const LiveFacts& f) {
  if (NotFound(f) || !f.same_uid) return {"P1", kAbsent, kRejected, kFinish};
  return {"P2", kNotServed, kRejected, kFinish};
}

Decision DecideRemoval(const LiveFacts& f) {
  if (NotFound(f) || !f.same_uid) return {"Q1", kAbsent, kDone, kFinish};
  if (!f.same_version) return {"Q2", kStale, kRejected, kFinish};
  if (!f.has_finalizer) return {"Q3", kUnchanged, kDone, kFinish};
  return {"Q4", kChanged, kRejected, kWriteLive};
}

/// Before a deletion, or a change that carries no proof of its own.
Decision DecideVerification(const LiveFacts& f) {
  if (NotFound(f) || !f.same_uid) {
    if (f.verb == Verb::kDelete) return {"D1", kAbsent, kDone, kFinish};
    return {"D2", kStale, kRejected, kFinish};
  }
  if (!f.may_touch) return {"D3", kRefused, kRejected, kFinish};
  return {"D4", kChanged, kRejected, kWriteLive};
}

/// The read failed: nothing was written, whatever became of the read.
Decision DecideFailure(const LiveFacts& f) {
  Decision decision = Decide(f.read);
  decision.row = "G1";
  decision.read_failed = true;
  decision.certainty = kRejected;
  decision.next = kFinish;
  if (f.read.http < 400 && f.read.http != 0) decision.code = kUnexpected;
  return decision;
}

}  // namespace

Decision DecideLive(const LiveFacts& f) {
  if (f.verifying) {
    return f.live || NotFound(f) ? DecideVerification(f) : DecideFailure(f);
  }
  if (f.verb == Verb::kUpdate) return {"O1", kNameConflict, kRejected, kFinish};
  if (!f.live && !NotFound(f)) return DecideFailure(f);
  if (f.verb == Verb::kStatus) return DecideStatus(f);
  if (f.verb == Verb::kRemoveFinalizer) return DecideRemoval(f);
  return DecideCreate(f);
}

}  // namespace xebec::applier
