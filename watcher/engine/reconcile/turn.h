// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/run_context.h"

namespace xebec::watcher {

/// One call of a ReconcileRun: its context, and what comes of it.
class Turn {
 public:
  /// Both are referred to.
  Turn(const RunContext& of, const Envelope& envelope) : context(of), envelope_(envelope) {}

  absl::Duration now() const { return context.key.now.monotonic; }
  /// Adds a note about the key and the reconcile.
  void Tell(Note::Level level, std::string what, std::string detail);
  /// The effects, with what the gate's checks found.
  Effects Close();

  const RunContext& context;
  Effects effects;
  GateFindings findings;

 private:
  const Envelope& envelope_;
};

}  // namespace xebec::watcher
