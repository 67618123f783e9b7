// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "common/rpc/streams/stream_pool.h"

namespace xebec::rpc {

Actions StreamPool::Do(Connect& action) {
  StreamCalls::Owner* const owner = this;
  auto made = std::make_unique<StreamCalls>(owner, action, options_, *protocol_, loop_.get());
  StreamCalls* const calls = made.get();
  {
    MutexLock lock(&mu_);
    calls_.emplace(action.stream, std::move(made));
  }
  if (calls->StartHandshake()) return {};
  return Step(&StreamMachine::HandshakeDone, action.stream, std::string());
}

Actions StreamPool::Do(OpenCall& action) {
  CallsOf(action.stream)->Open();
  return {};
}

Actions StreamPool::Do(StartRead& action) {
  CallsOf(action.stream)->Read();
  return {};
}

Actions StreamPool::Do(StartWrite& action) {
  const StreamCalls::Begun begun = CallsOf(action.stream)->Write(action);
  if (!begun.too_large.empty()) {
    return Step(&StreamMachine::TooLarge, action.stream, action.request->sequence, begun.too_large);
  }
  if (!begun.result) return {};
  return Step(&StreamMachine::Written, action.stream, *begun.result);
}

Actions StreamPool::Do(EndWrites& action) {
  const StreamCalls::Begun begun = CallsOf(action.stream)->EndWrites();
  if (!begun.result) return {};
  return Step(&StreamMachine::Written, action.stream, *begun.result);
}

Actions StreamPool::Do(CancelCalls& action) {
  CallsOf(action.stream)->Cancel();
  return {};
}

Actions StreamPool::Do(FinishCall& action) {
  CallsOf(action.stream)->Finish();
  return {};
}

Actions StreamPool::Do(Forget& action) {
  std::unique_ptr<StreamCalls> calls;
  MutexLock lock(&mu_);
  calls.swap(calls_.at(action.stream));
  calls_.erase(action.stream);
  return {};
}

Actions StreamPool::Do(DeliverAnswer& action) {
  protocol_->OnAnswer(std::move(action.answer));
  return {};
}

Actions StreamPool::Do(DeliverLosses& action) {
  for (Request& request : action.losses.unsent) protocol_->OnUnsent(std::move(request), action.why);
  for (const uint64_t sequence : action.losses.lost) protocol_->OnLost(sequence, action.why);
  return {};
}

Actions StreamPool::Do(DeliverCredits& action) {
  protocol_->OnCredits(action.credits);
  return {};
}

Actions StreamPool::Do(StreamNote& action) {
  if (options_.on_note) options_.on_note(action);
  return {};
}

}  // namespace xebec::rpc
