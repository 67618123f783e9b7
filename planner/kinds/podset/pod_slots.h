// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xebec::planner {

/// One Pod of a set, reduced to what decides its action.
struct PodFact {
  enum class State { kLive, kFinished, kTerminating, kUnknown };

  std::string name;
  std::optional<int64_t>
      ordinal;  ///< nullopt: a Pod of an original operator with a name of its own.
  State state = State::kLive;
  bool ready = false;
  bool current = true;  ///< Made from the template that is wanted now.
  bool young = false;   ///< Finished within seconds of its creation: replaced a little later.
};

enum class PodAction {
  kKeep,     ///< Stays and is applied (labels).
  kWait,     ///< Nothing can be done about it now.
  kSurplus,  ///< Deleted: more Pods than replicas.
  kEnded,    ///< Deleted: it succeeded or failed; its ordinal is created again.
  kReplace,  ///< Deleted: made from another template; its ordinal is created again.
};

struct SlotDecision {
  std::vector<int64_t> create;     ///< Ordinals, ascending.
  std::vector<PodAction> actions;  ///< One for each Pod, in the order given.
  int64_t ready = 0;               ///< Wanted Pods that are live and ready.
  int64_t current = 0;             ///< Of these, those made from the template that is wanted.
};

/// What becomes of the Pods of a set of `replicas`. Total and deterministic.
///
/// - Live Pods with names of their own (adopted) count: they stand in for the highest ordinals, are
/// kept as long as
///   they live and are the last to go when the set shrinks. Ordinals take their places as they end.
/// - Wanted are then the ordinals from 0; what is missing is created at once, live Pods beyond go,
/// highest first.
/// - Pods of another template are replaced: those that are not ready at once; of the ready ones,
/// highest ordinal
///   first, as many as leave `replicas - max_unavailable` ready.
/// - Names that are still taken (terminating) are waited for.
SlotDecision DecideSlots(const std::vector<PodFact>& pods, int64_t replicas,
                         int64_t max_unavailable);

/// "<parent>-pod-<ordinal>", at most 63 characters so that it can be a host name: longer ones are
/// cut and hashed.
std::string PodSetPodName(std::string_view parent, int64_t ordinal);

/// The ordinal that makes `pod` the name of one of the parent's Pods; nullopt when none does.
std::optional<int64_t> PodSetOrdinal(std::string_view parent, std::string_view pod);

}  // namespace xebec::planner
