// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"

namespace xebec::testing {

/// A kind that wants what its parent's spec says in plain words, so that core tests need no kind of
/// their own:
///
///   spec:
///     children:   [{kind: ConfigMap, stage: 0, object: {metadata: {name: a}, ...}}]   kind:
///     ConfigMap, Deployment or Claim toDelete:     [{kind, name, stage}]           while
///     finalizing: toDeleteAtEnd secrets:    [{name, keys: [...], stage}] status:     {...}
///     conditions: [{type, status, reason, message}] events:     [{reason, note}] resyncSeconds: 5
///     invalid:    "why"                           throws: true (reads a string as a number)
///     eventReads: [name of a Deployment]
///
/// Claims are indirectly owned (label test/scripted) and stateful. Without conditions Ready is
/// True.
planner::Kind ScriptedKind();
/// The same with the finalizer "test/scripted".
planner::Kind ScriptedKindWithFinalizer();

ResourceType ScriptedConfigMap();
ResourceType ScriptedDeployment();
ResourceType ScriptedClaim();

}  // namespace xebec::testing
