// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "applier/engine/run/plan_run.h"
#include "common/http/http_client.h"

namespace xebec::bench {

/// Carries out the plan of a new parent with the requests of the shipped applier, then sends the
/// events. It sends exactly the requests that Xebec sends.
class BareReconcile : public std::enable_shared_from_this<BareReconcile> {
 public:
  /// `done` is called once, on the HTTP thread.
  BareReconcile(http::ApiClient* client, Plan plan, std::function<void(bool ok)> done);

  void Start() { SendNext(); }

 private:
  void SendNext();
  void SendEvents();

  http::ApiClient* const client_;
  const std::function<void(bool)> done_;
  applier::PlanRun run_;
  size_t events_left_ = 0;
};

}  // namespace xebec::bench
