// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "applier/engine/run/plan_run.h"
#include "common/http/http_client.h"
#include "planner/core/kind.h"

namespace xebec::bench {

/// Does for one new parent what Xebec does, without watching and without other processes: plans it
/// with the shipped planner, sends the requests of the shipped applier, then the events. What it
/// sends is exactly what Xebec sends.
class BarePass : public std::enable_shared_from_this<BarePass> {
 public:
  /// `parent` is the API server's answer to the creation. `done` is called once, on the HTTP
  /// thread.
  BarePass(http::ApiClient* client, const planner::KindRegistry* kinds, ObjectBytes parent,
           std::function<void(bool ok)> done);

  /// Starts; false (and `done` is not called) when the parent cannot be planned.
  bool Start();

 private:
  void SendNext();
  void SendEvents();

  http::ApiClient* const client_;
  const planner::KindRegistry* const kinds_;
  const ObjectBytes parent_;
  const std::function<void(bool)> done_;
  std::unique_ptr<applier::PlanRun> run_;
  size_t events_left_ = 0;
};

}  // namespace xebec::bench
