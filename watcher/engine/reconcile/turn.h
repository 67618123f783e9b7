// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/run_context.h"

namespace xebec::watcher {

/// The context and the effects of one call of a ReconcileRun.
class Turn {
 public:
  /// Keeps references to both arguments.
  Turn(const RunContext& of, const Envelope& envelope) : context(of), envelope_(envelope) {}

  absl::Duration now() const { return context.key.now.monotonic; }
  CacheGate::View gate_view() const { return {context.key.cache, context.record.uid, now()}; }
  /// Adds a note about the key and the reconcile.
  void AddNote(Note::Level level, std::string what, std::string detail);
  /// Returns the effects, including the findings of the gate.
  Effects Close();

  const RunContext& context;
  Effects effects;
  GateFindings findings;

 private:
  const Envelope& envelope_;
};

}  // namespace xebec::watcher
