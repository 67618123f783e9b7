// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/call_desk.h"

#include <tuple>
#include <utility>

#include "common/rpc/server/server_stream.h"

namespace xebec::rpc {
namespace {

/// Far more than the callers of the health service and of reflection need at the same time.
constexpr size_t kSidePlaces = 16;

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

ServedMethod MakeServed(const Method& method, bool side) {
  return {.open = method.open,
          .unary = method.type == "unary",
          .side = side,
          .started = EventOf(method, CallEvent::What::kStarted),
          .received = EventOf(method, CallEvent::What::kMessageReceived),
          .sent = EventOf(method, CallEvent::What::kMessageSent),
          .handled = EventOf(method, CallEvent::What::kHandled)};
}

using Kind = CallPlaces<std::shared_ptr<ServerStream>>::Kind;

Kind KindOf(const ServedMethod& method) {
  if (method.side) return Kind::kSide;
  return method.unary ? Kind::kUnary : Kind::kStream;
}

grpc::Status TooMany() { return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls are open"}; }
grpc::Status Displaced() {
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the call gives way to a newer one"};
}
grpc::Status Stopping() { return {grpc::StatusCode::UNAVAILABLE, "the server is stopping"}; }

}  // namespace

CallDesk::CallDesk(Options options)
    : max_message_bytes_(options.max_message_bytes),
      observer_(std::move(options.observer)),
      places_(options.max_calls, kSidePlaces) {
  for (const Method& each : options.methods) methods_.emplace(each.path, MakeServed(each, false));
  for (const Method& each : options.side_methods)
    methods_.emplace(each.path, MakeServed(each, true));
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

void CallDesk::Arrive(bool ok) {
  {
    MutexLock lock(&mu_);
    if (!ok) {
      --awaited_;
      quiet_.NotifyAll();
      return;
    }
    ++open_;
  }
  await_call_();
}

grpc::Status CallDesk::Admit(const std::shared_ptr<ServerStream>& call,
                             const ServedMethod& method) {
  std::shared_ptr<ServerStream> displaced;
  {
    MutexLock lock(&mu_);
    if (stopping_) return Stopping();
    auto arrival = places_.Arrive(call, KindOf(method));
    if (!arrival.admitted) return TooMany();
    displaced = std::move(arrival.displaced).value_or(nullptr);
  }
  if (displaced != nullptr) displaced->Finish(Displaced());
  return grpc::Status::OK;
}

grpc::Status CallDesk::Serve(const std::shared_ptr<ServerStream>& call) {
  MutexLock lock(&mu_);
  return places_.Serve(call) ? grpc::Status::OK : TooMany();
}

void CallDesk::EndHeldCalls() {
  std::vector<std::shared_ptr<ServerStream>> held;
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    held = places_.Clear();
  }
  for (const std::shared_ptr<ServerStream>& call : held) call->Finish(Stopping());
}

void CallDesk::Leave(const std::shared_ptr<ServerStream>& call) {
  MutexLock lock(&mu_);
  places_.Leave(call);
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
