// SPDX-License-Identifier: Apache-2.0
#include "bench/bare_reconcile.h"

#include <utility>

#include "applier/engine/events/event_body.h"
#include "common/base/clock.h"

namespace xebec::bench {

BareReconcile::BareReconcile(http::ApiClient* client, Plan plan, std::function<void(bool)> done)
    : client_(client), done_(std::move(done)), run_(std::move(plan), applier::Policy{}, "") {}

void BareReconcile::SendNext() {
  for (applier::RunRequest& request : run_.Next(ReadClock())) {
    client_->Send(std::move(request.request),
                  [self = shared_from_this(), id = request.id](const kube::ApiResponse& response) {
                    self->run_.On(id, response, ReadClock());
                    self->SendNext();
                  });
  }
  if (run_.Done()) SendEvents();
}

void BareReconcile::SendEvents() {
  const std::vector<EventFact>& events = run_.Events();
  events_left_ = events.size();
  if (events.empty()) return done_(true);
  for (const EventFact& fact : events) {
    client_->Send(applier::CreateEventRequest(run_.envelope(), fact, "xebec.dev/bench", "bench",
                                              ReadClock().wall),
                  [self = shared_from_this()](const kube::ApiResponse&) {
                    if (--self->events_left_ == 0) self->done_(true);
                  });
  }
}

}  // namespace xebec::bench
