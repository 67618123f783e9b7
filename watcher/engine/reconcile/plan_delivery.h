// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"
#include "watcher/engine/reconcile/completion.h"
#include "watcher/engine/reconcile/run_context.h"

namespace xebec::watcher {

/// Returns the output that sends an accepted plan now. The plan gets its sequence, its epoch and
/// its expiry. The timeout ends when no operation of the plan can run any more.
SendPlan Deliver(Plan plan, const RunContext& context);

/// Returns when the writes with an unknown outcome can no longer be executed. The plan was sent at
/// `sent`, and its report arrived or was lost at `now` (monotonic).
absl::Duration EndOfDoubt(const Completion& completion, absl::Duration sent, absl::Duration now,
                          const Options& options);

}  // namespace xebec::watcher
