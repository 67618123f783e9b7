// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_states.h"

namespace xebec::watcher {
namespace {

uint64_t SequenceOf(const run_states::Any& state) {
  if (const auto* planning = std::get_if<run_states::Planning>(&state)) return planning->sequence;
  if (const auto* asking = std::get_if<run_states::Asking>(&state)) return asking->sequence;
  if (const auto* applying = std::get_if<run_states::Applying>(&state)) return applying->sequence;
  return 0;
}

}  // namespace

bool IsUnsent(const RunStatus& status) {
  switch (status.state) {
    case RunState::kPlanning:
    case RunState::kAsking:
    case RunState::kAwaitingApplier:
      return true;
    case RunState::kReading:
      return !status.in_doubt;
    default:
      return false;
  }
}

RunStatus StatusOf(const run_states::Any& state, absl::Duration timer, bool wants_turn) {
  RunStatus status;
  status.timer = timer;
  status.wants_turn = wants_turn;
  status.state = static_cast<RunState>(state.index());
  status.sequence = SequenceOf(state);
  status.in_doubt = status.state == RunState::kInDoubt;
  if (const auto* reads = std::get_if<LiveReads>(&state)) {
    status.in_doubt = reads->purpose() == ReadPurpose::kInDoubt;
    status.reads_many = !status.in_doubt && !reads->Outstanding().empty();
  }
  return status;
}

}  // namespace xebec::watcher
