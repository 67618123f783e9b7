// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/call_desk.h"

#include <tuple>
#include <utility>

namespace xebec::rpc {
namespace {

/// Splits "/xebec.v1.PlannerService/Plan".
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {path.substr(1, slash - 1), path.substr(slash + 1)};
}

CallEvent EventOf(const Method& method, CallEvent::What what) {
  CallEvent event;
  event.what = what;
  event.server = true;
  std::tie(event.service, event.method) = SplitPath(method.path);
  event.type = method.type;
  return event;
}

ServedMethod Serve(const Method& method) {
  return {.open = method.open,
          .unary = method.type == "unary",
          .started = EventOf(method, CallEvent::What::kStarted),
          .received = EventOf(method, CallEvent::What::kMessageReceived),
          .sent = EventOf(method, CallEvent::What::kMessageSent),
          .handled = EventOf(method, CallEvent::What::kHandled)};
}

}  // namespace

CallDesk::CallDesk(Options options)
    : max_calls_(options.max_calls),
      max_message_bytes_(options.max_message_bytes),
      observer_(std::move(options.observer)) {
  for (const Method& method : options.methods) methods_.emplace(method.path, Serve(method));
}

void CallDesk::Begin(grpc::ServerCompletionQueue* queue, std::function<void()> await_call) {
  queue_ = queue;
  await_call_ = std::move(await_call);
  {
    MutexLock lock(&mu_);
    ++awaited_;
  }
  await_call_();
}

bool CallDesk::Arrive(bool ok) {
  bool admitted = true;
  {
    MutexLock lock(&mu_);
    if (!ok) {
      --awaited_;
      quiet_.NotifyAll();
      return false;
    }
    admitted = ++open_ <= max_calls_;
  }
  await_call_();
  return admitted;
}

void CallDesk::Leave() {
  MutexLock lock(&mu_);
  --open_;
  quiet_.NotifyAll();
}

void CallDesk::AwaitQuiet() {
  MutexLock lock(&mu_);
  while (open_ > 0 || awaited_ > 0) quiet_.Wait(&mu_);
}

const ServedMethod* CallDesk::Find(const std::string& path) const {
  const auto it = methods_.find(path);
  return it == methods_.end() ? nullptr : &it->second;
}

void CallDesk::Observe(const CallEvent& event) const {
  if (observer_) observer_(event);
}

std::set<std::string> ServiceNames(const std::vector<Method>& methods) {
  std::set<std::string> names;
  for (const Method& method : methods) names.insert(SplitPath(method.path).first);
  return names;
}

}  // namespace xebec::rpc
