// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/plan_delivery.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace xebec::watcher {

SendPlan Deliver(Plan plan, const RunContext& context) {
  const Options& options = context.key.options;
  Envelope& envelope = plan.envelope;
  envelope.sequence = ++context.sequences.last_message;
  envelope.epoch = context.key.leadership.Epoch(envelope.bucket);
  envelope.not_after = context.key.now.wall + options.plan_life;
  const uint64_t sequence = envelope.sequence;
  return {sequence, std::make_shared<Plan>(std::move(plan)),
          options.plan_life + kClockSkew + options.request_timeout};
}

// After a lost report: no operation starts after the plan has expired, and none runs longer than a
// request.
absl::Duration EndOfDoubt(const Completion& completion, absl::Duration sent, absl::Duration now,
                          const Options& options) {
  const bool lost = completion.unknown.size() == completion.outcomes.size();
  const absl::Duration end = lost ? sent + options.plan_life + kClockSkew : now;
  return std::max(end, now) + options.request_timeout;
}

}  // namespace xebec::watcher
