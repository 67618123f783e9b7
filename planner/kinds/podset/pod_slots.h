// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xebec::planner {

/// The properties of one Pod of a set that determine its action.
struct PodFact {
  enum class State { kLive, kFinished, kTerminating, kUnknown };

  std::string name;
  /// nullopt for a Pod of an original operator, which has another name.
  std::optional<int64_t> ordinal;
  State state = State::kLive;
  bool ready = false;
  bool current = true;  ///< Created from the current template.
  bool young = false;   ///< Ended within seconds of its creation: replaced a little later.
};

enum class PodAction {
  kKeep,     ///< Stays, and is applied to correct its labels.
  kWait,     ///< No action is possible now.
  kSurplus,  ///< Deleted because there are more Pods than replicas.
  kEnded,    ///< Deleted because it succeeded or failed; its ordinal is created again.
  /// Deleted because it was created from another template; its ordinal is created again.
  kReplace,
};

struct SlotDecision {
  std::vector<int64_t> create;     ///< Ordinals, ascending.
  std::vector<PodAction> actions;  ///< One for each Pod, in the order of the input.
  int64_t ready = 0;               ///< Live and ready Pods that count as replicas.
  int64_t current = 0;             ///< Ready Pods from the current template.
};

/// Decides the actions for the Pods of a set of `replicas`. Deterministic; accepts any input.
///
/// - Live Pods with other names (adopted ones) count as the highest ordinals. They are kept as long
///   as they live and are deleted last when the set shrinks. Ordinals replace them as they end.
/// - The remaining replicas are the ordinals from 0. Missing Pods are created at once; additional
///   live Pods are deleted, highest ordinal first.
/// - Pods of another template are replaced: those that are not ready at once; of the ready ones,
/// the
///   highest ordinals, as long as `replicas - max_unavailable` Pods stay ready.
/// - A name that a terminating Pod has is used again when the Pod is gone.
SlotDecision DecideSlots(const std::vector<PodFact>& pods, int64_t replicas,
                         int64_t max_unavailable);

/// Returns "<parent>-pod-<ordinal>". Names of more than 63 characters, which cannot be host names,
/// are shortened and get a digest.
std::string PodSetPodName(std::string_view parent, int64_t ordinal);

/// Returns the ordinal of a Pod with the name `pod`; nullopt if it is not the name of one of the
/// parent's Pods.
std::optional<int64_t> PodSetOrdinal(std::string_view parent, std::string_view pod);

}  // namespace xebec::planner
