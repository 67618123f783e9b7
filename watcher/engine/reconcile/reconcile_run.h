// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "watcher/engine/io.h"
#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/completion.h"

namespace xebec::watcher {

/// What of a parent decides whether a plan is still for it.
struct ParentStamp {
  std::string uid;
  int64_t generation = 0;
  bool deleting = false;
  std::string paused;
  std::string reconcile_at;

  bool operator==(const ParentStamp&) const = default;
};
ParentStamp StampOf(const StoredObject& parent);

/// At the planner.
struct Planning {
  uint64_t sequence = 0;
  bool operator==(const Planning&) const = default;
};
/// The plan waits for a free slot of the appliers.
struct AwaitingApplier {
  Plan plan;
  absl::Duration since;  ///< Monotonic.
  bool operator==(const AwaitingApplier&) const = default;
};
/// At the applier.
struct Applying {
  uint64_t sequence = 0;
  absl::Duration sent;
  Plan plan;
  bool operator==(const Applying&) const = default;
};
/// The fate of some writes is unknown: waits until they can have no effect any more.
struct AwaitingFate {
  bool operator==(const AwaitingFate&) const = default;
};

/// One live read.
struct LiveRead {
  ReadId id = 0;
  ObjectRef ref;  ///< A LiveGet; with an empty name a LiveList of ref.type.
  bool done = false;
  bool failed = false;  ///< Has to be sent again.
  std::vector<std::pair<ObjectKey, StoredObject>> found = {};

  bool operator==(const LiveRead&) const = default;
};
enum class ReadPurpose {
  kFate,   ///< The planned names, after an unknown outcome.
  kLists,  ///< What the planner asked for.
  kAll,    ///< Parent and children: the cache lags too long.
};
/// Waits for live reads.
struct Reading {
  ReadPurpose purpose = ReadPurpose::kAll;
  std::vector<LiveRead> reads;
  std::vector<std::string> reasons;  ///< Of changes seen before, which the reads will show.
  bool operator==(const Reading&) const = default;
};
/// Waits until the cache shows its own writes.
struct Gated {
  absl::Duration since;
  bool operator==(const Gated&) const = default;
};

/// How a pass ends, collected on its way.
struct Ending {
  Next next = Next::kRest;
  std::string reason;
  bool news = false;             ///< Outcomes that the planner has not seen.
  std::vector<uint64_t> writes;  ///< WritesOf the plan.
  bool invalid = false;          ///< The plan said that the user has to act.
  bool superseded = false;       ///< The parent changed: the plan was dropped.
  std::optional<absl::Duration> resync_after;
  std::optional<absl::Duration> retry_after;  ///< The API server asked to be left alone.
  std::optional<absl::Duration> held_until;   ///< Monotonic: operations were held back until then.
  std::string text = "nothing to do";         ///< For people.

  bool operator==(const Ending&) const = default;
};

/// One parent's way from the observation to the settled report. There is at most one per key.
struct Pass {
  Envelope envelope;  ///< As it was sent with the observation.
  ParentStamp parent;
  absl::Duration triggered;  ///< The change that began it.
  absl::Duration started;
  absl::Duration timer = absl::InfiniteDuration();
  std::variant<Planning, AwaitingApplier, Applying, AwaitingFate, Reading, Gated> state;
  Ending ending;
  std::vector<Requirement>
      requirements;              ///< Of the gate; also those not met that a live pass carries on.
  std::vector<ObjectRef> fates;  ///< Targets with unknown outcomes.
  std::map<ResourceType, std::vector<ObjectBytes>> live;  ///< Live groups of the next observation.
  std::optional<StoredObject> live_parent;
  std::set<std::string> shown;  ///< uids of the children that the planner has seen.
  bool asked_live = false;      ///< The planner has had its live lists.
  std::string parent_version;   ///< Of the last event of the parent that is no user's change.
  uint32_t read_failures = 0;
  uint64_t world = 0;      ///< EngineCore::World when it was observed, or read live.
  bool overtaken = false;  ///< A child came or changed after its live reads were asked for.
};
/// Compares content.
bool operator==(const Pass& a, const Pass& b);

}  // namespace xebec::watcher
