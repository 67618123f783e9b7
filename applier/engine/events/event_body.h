// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

/// Builds the requests for events.k8s.io/v1 Events.
namespace xebec::applier {

/// Annotation of Events: the ids of the latest reconciles that the Event counts, oldest first,
/// separated by commas. Each reconcile counts once.
inline constexpr std::string_view kReconcileIdsAnnotation = "xebec.dev/reconcile-ids";

/// Returns the name of the Event for `fact` about `parent`, at most 253 characters. It is the same
/// for every occurrence, whichever applier publishes it.
std::string EventName(const ParentIdentity& parent, const EventFact& fact);

/// Returns the namespace of Events on `parent`: its own, or "default" for cluster-scoped parents.
std::string EventNamespace(const ParentIdentity& parent);

/// POST of a new Event. Reason, action and note are cut to the limits of the API. An empty action
/// is replaced by the reason. The Event records the plan's reconcile id.
kube::ApiRequest CreateEventRequest(const Envelope& plan, const EventFact& fact,
                                    const std::string& reporter, const std::string& instance,
                                    absl::Time now);

/// Returns `create`, a request of CreateEventRequest, for a later occurrence of the same fact.
kube::ApiRequest CreateAgainRequest(kube::ApiRequest create, const std::string& reconcile,
                                    absl::Time now);

/// An empty PATCH, which changes nothing and returns the Event. The applier has no right to read
/// Events.
kube::ApiRequest LearnEventRequest(const std::string& ns, const std::string& name);

/// An Event as the API server has it.
struct LiveEvent {
  std::string version;
  uint64_t count = 1;                   ///< Of its series; 1 without a series.
  std::vector<std::string> reconciles;  ///< Ids of the latest reconciles that count, oldest first.
};

/// Reads the answer to a LearnEventRequest. Returns nullopt if it is not JSON.
std::optional<LiveEvent> ReadEvent(const std::string& body);

/// PATCH of the Event's count and reconciles. It fails with a conflict if the Event does not have
/// `event.version`.
kube::ApiRequest CountEventRequest(const std::string& ns, const std::string& name,
                                   const LiveEvent& event, absl::Time last_seen);

}  // namespace xebec::applier
