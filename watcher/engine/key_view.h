// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/report.h"
#include "common/model/resource.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {

/// Where a key is on its way; proto/xebec/v1/watcher.proto says what each means.
enum class KeyState { kIdle, kQueued, kDelayed, kPlanning, kApplying, kWaitingForCache, kReading };

/// A parent as clients are shown it.
struct KeyView {
  ObjectRef ref;
  std::string uid;
  KeyState state = KeyState::kIdle;
  std::vector<std::string> reasons;
  uint32_t failures = 0;
  absl::Time next = absl::InfiniteFuture();
  std::string explanation;
  std::vector<std::string> waiting_for;
  std::vector<Outcome> last_outcomes;
};

/// A part of a listing.
struct KeyPage {
  std::vector<KeyView> keys;
  std::string next;  ///< The token of the next part; empty at the end.
};

/// What a view is made of. Refers to what its maker owns.
struct KeySources {
  const KeyContext& context;
  KeyId key = 0;
  const ReconcileRun* run;  ///< Null when the key is not being reconciled.
  const WorkQueue& queue;
  const CreditsChanged& credits;
};

/// Pure; costs nothing for other keys.
KeyView ViewOf(const KeySources& of);

}  // namespace xebec::watcher
