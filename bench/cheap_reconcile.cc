// SPDX-License-Identifier: Apache-2.0
#include "bench/cheap_reconcile.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "applier/engine/events/event_body.h"
#include "common/base/clock.h"
#include "common/base/json.h"

namespace xebec::bench {
namespace {

kube::ApiRequest PostChild(const ObjectRef& ref, const ObjectBytes& object) {
  return {.method = "POST",
          .path = absl::StrCat(kube::CollectionPath(ref.type, ref.ns), "?fieldManager=xebec-bench"),
          .content_type = kube::kJsonContentType,
          .body = *object};
}

kube::ApiRequest PatchStatus(const ObjectRef& parent, const ObjectBytes& object) {
  const absl::StatusOr<Json> body = ParseJson(*object);
  const Json* status = body.ok() ? Find(*body, {"status"}) : nullptr;
  return {.method = "PATCH",
          .path = absl::StrCat(kube::ObjectPath(parent, "status"), "?fieldManager=xebec-bench"),
          .content_type = kube::kMergePatchContentType,
          .body = DumpJson({{"status", status == nullptr ? Json::object() : *status}})};
}

kube::ApiRequest PostEvent(const Envelope& envelope, const EventFact& fact) {
  return applier::CreateEventRequest(envelope, fact, "xebec.dev/bench", "bench", ReadClock().wall);
}

std::vector<kube::ApiRequest> RequestsOf(const Plan& plan) {
  std::vector<kube::ApiRequest> requests;
  std::vector<EventFact> events = plan.events;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const Apply* apply = std::get_if<Apply>(&operation.action);
      if (apply != nullptr) requests.push_back(PostChild(operation.target, apply->object));
      events.insert(events.end(), operation.events.begin(), operation.events.end());
    }
  }
  if (plan.status) {
    requests.push_back(PatchStatus(plan.envelope.parent.ref, plan.status->object));
    events.insert(events.end(), plan.status->events.begin(), plan.status->events.end());
  }
  for (const EventFact& fact : events) requests.push_back(PostEvent(plan.envelope, fact));
  return requests;
}

}  // namespace

CheapReconcile::CheapReconcile(http::ApiClient* client, const Plan& plan,
                               std::function<void(bool)> done)
    : client_(client), done_(std::move(done)), requests_(RequestsOf(plan)) {}

void CheapReconcile::SendNext() {
  if (next_ == requests_.size()) return done_(true);
  client_->Send(std::move(requests_[next_++]),
                [self = shared_from_this()](const kube::ApiResponse& response) {
                  if (response.status != 200 && response.status != 201) return self->done_(false);
                  self->SendNext();
                });
}

}  // namespace xebec::bench
