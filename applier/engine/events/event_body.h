// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

/// Requests for events.k8s.io/v1 Events.
namespace xebec::applier {

/// Name of the Event for the first occurrence of `fact`, within 253 characters: the same whoever
/// carries the plan's pass out, and whenever. For plans without a pass (made by hand) `now` tells
/// occurrences apart.
std::string EventName(const Envelope& plan, const EventFact& fact, absl::Time now);

/// Namespace of events on `parent`: its own, or "default" for cluster-scoped parents.
std::string EventNamespace(const ParentIdentity& parent);

/// POST of a new Event. Reason, action and note are cut to what the API takes; an empty action
/// becomes the reason.
kube::ApiRequest CreateEventRequest(const Envelope& plan, const EventFact& fact,
                                    const std::string& reporter, const std::string& instance,
                                    absl::Time now);

/// PATCH of an Event's series.
kube::ApiRequest CountEventRequest(const std::string& ns, const std::string& name, uint64_t count,
                                   absl::Time last_seen);

}  // namespace xebec::applier
