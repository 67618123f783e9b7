// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

/// Builds the requests for events.k8s.io/v1 Events.
namespace xebec::applier {

/// Returns the name of the Event for `fact` about `parent`, at most 253 characters. It is the same
/// for every occurrence, whichever applier publishes it.
std::string EventName(const ParentIdentity& parent, const EventFact& fact);

/// Returns the namespace of Events on `parent`: its own, or "default" for cluster-scoped parents.
std::string EventNamespace(const ParentIdentity& parent);

/// POST of a new Event. Reason, action and note are cut to the limits of the API. An empty action
/// is replaced by the reason.
kube::ApiRequest CreateEventRequest(const Envelope& plan, const EventFact& fact,
                                    const std::string& reporter, const std::string& instance,
                                    absl::Time now);

/// An empty PATCH, which changes nothing and returns the Event. The applier has no right to read
/// Events.
kube::ApiRequest LearnEventRequest(const std::string& ns, const std::string& name);

/// PATCH of the count of an Event's series. It fails with a conflict if the Event does not have
/// `version`.
kube::ApiRequest CountEventRequest(const std::string& ns, const std::string& name, uint64_t count,
                                   absl::Time last_seen, const std::string& version);

}  // namespace xebec::applier
