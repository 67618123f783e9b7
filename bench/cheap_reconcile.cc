// SPDX-License-Identifier: Apache-2.0
#include "bench/cheap_reconcile.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "applier/engine/events/event_body.h"
#include "applier/engine/requests/request_builder.h"
#include "common/base/clock.h"
#include "common/base/json.h"

namespace xebec::bench {
namespace {

kube::ApiRequest PostChild(const ObjectRef& ref, const ObjectBytes& object) {
  return {.method = "POST",
          .path = absl::StrCat(kube::CollectionPath(ref.type, ref.ns), "?fieldManager=xebec-bench"),
          .content_type = kube::kJsonContentType,
          .body = *object,
          .metadata_only = true};
}

Json NumbersOf(const Json& status) {
  Json numbers = Json::object();
  for (const auto& [key, value] : status.items()) {
    if (value.is_number()) numbers[key] = value;
  }
  return numbers;
}

kube::ApiRequest PutStatus(const ParentIdentity& parent, const ObjectBytes& object,
                           StatusForm form) {
  const absl::StatusOr<Json> body = ParseJson(*object);
  const Json* status = body.ok() ? Find(*body, {"status"}) : nullptr;
  const Json whole = status == nullptr ? Json::object() : *status;
  return applier::FirstStatusRequest(parent.ref, "xebec-bench",
                                     form == StatusForm::kNumbers ? NumbersOf(whole) : whole,
                                     {parent.uid, parent.resource_version});
}

kube::ApiRequest PostEvent(const Envelope& envelope, const EventFact& fact) {
  return applier::CreateEventRequest(envelope, fact, "xebec.dev/bench", "bench", ReadClock().wall);
}

std::vector<kube::ApiRequest> RequestsOf(const Plan& plan, StatusForm form) {
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
    requests.push_back(PutStatus(plan.envelope.parent, plan.status->object, form));
    events.insert(events.end(), plan.status->events.begin(), plan.status->events.end());
  }
  for (const EventFact& fact : events) requests.push_back(PostEvent(plan.envelope, fact));
  return requests;
}

}  // namespace

CheapReconcile::CheapReconcile(http::ApiClient* client, const Plan& plan, StatusForm form,
                               std::function<void(bool)> done)
    : client_(client), done_(std::move(done)), requests_(RequestsOf(plan, form)) {}

void CheapReconcile::SendNext() {
  if (next_ == requests_.size()) return done_(true);
  client_->Send(std::move(requests_[next_++]),
                [self = shared_from_this()](const kube::ApiResponse& response) {
                  if (response.status != 200 && response.status != 201) return self->done_(false);
                  self->SendNext();
                });
}

}  // namespace xebec::bench
