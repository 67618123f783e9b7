// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/model/report.h"
#include "common/model/resource.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {

/// The state of a key. proto/xebec/v1/watcher.proto documents the values.
enum class KeyState { kIdle, kQueued, kDelayed, kPlanning, kApplying, kWaitingForCache, kReading };

/// A parent and its state, for clients.
struct KeyView {
  ObjectRef ref;
  std::string controller;
  std::string uid;
  KeyState state = KeyState::kIdle;
  std::vector<std::string> reasons;
  uint32_t failures = 0;
  absl::Time next = absl::InfiniteFuture();
  std::string explanation;
  std::vector<std::string> waiting_for;
  std::vector<Outcome> last_outcomes;
};

/// One page of a list of parents.
struct KeyPage {
  std::vector<KeyView> keys;
  std::string next;  ///< The token of the next page; empty for the last page.
};

/// The place of a key in the list of parents.
struct ListPlace {
  std::string resource, ns, name, controller;
};
/// Returns the token of the page after this place.
std::string TokenOf(const ListPlace& place);
/// Returns the place that a token of TokenOf names; all is empty for an empty token.
ListPlace PlaceOf(const std::string& token);

/// The sources of a KeyView. Contains references that are valid during one call only.
struct KeySources {
  const KeyContext& context;
  KeyId key = 0;
  const ReconcileRun* run;  ///< Null if no reconcile of the key is in progress.
  const WorkQueue& queue;
  const CreditsChanged& credits;
  bool hook_allows = true;  ///< False if the hook of the controller gets no further call now.
};

/// Returns the view of a key. Pure; the cost does not depend on the number of keys.
KeyView ViewOf(const KeySources& of);

}  // namespace xebec::watcher
