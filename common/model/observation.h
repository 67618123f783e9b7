// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/capabilities.h"
#include "common/model/envelope.h"
#include "common/model/object.h"
#include "common/model/report.h"

namespace xebec {

/// Which of its two jobs the planner is asked for.
enum class Phase {
  kDerive,    ///< FINALIZE when the parent has a deletionTimestamp, else SYNC.
  kSync,      ///< The parent is wanted.
  kFinalize,  ///< The parent is being deleted: nothing is created.
};

enum class Freshness { kCached, kLive };

/// Everything that a plan depends on (design §4). Equal observations give equal plans.
struct Observation {
  Envelope envelope;
  Phase phase = Phase::kDerive;
  absl::Time now = absl::InfinitePast();  ///< InfinitePast: unknown, the plan carries no times.
  ObjectBytes parent;                     ///< Never null.
  std::vector<ObjectGroup>
      children;  ///< One group per declared kind; a missing group means "not looked".
  std::vector<ObjectGroup> related;
  std::vector<Outcome>
      last_outcomes;  ///< Latest outcome of each operation, sorted by operation id.
  Freshness freshness = Freshness::kCached;
  std::string
      configuration;  ///< JSON object with the controller's settings; empty means its defaults.
  Capabilities capabilities;    ///< Of the sender.
  bool without_status = false;  ///< The parent's CRD serves no status subresource.
};

/// Compares content, not addresses.
bool operator==(const Observation& a, const Observation& b);

}  // namespace xebec
