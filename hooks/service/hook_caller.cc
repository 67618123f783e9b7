// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/hook_caller.h"

#include <utility>

namespace xebec::gateway {
namespace {

constexpr size_t kNoCache = 0;

}  // namespace

HookCaller::HookCaller(const CallerOptions& options)
    : connect_timeout_(options.connect_timeout),
      metrics_(&registry_),
      loop_(OptionsOf(options), &metrics_) {
  stream_ = loop_.OpenStream([this](uint64_t sequence, HookReply reply) {
    MutexLock lock(&mu_);
    replies_.emplace(sequence, std::move(reply));
    replied_.NotifyAll();
  });
}

HookCaller::~HookCaller() { loop_.CloseStream(stream_); }

LoopOptions HookCaller::OptionsOf(const CallerOptions& options) {
  LoopOptions loop;
  loop.limits.cache_bytes = kNoCache;
  loop.policy = EndpointPolicy::AllowAll();
  if (options.certificate) loop.credentials = Credentials::Of(*options.certificate);
  loop.connect_timeout = options.connect_timeout;
  loop.user_agent = "xebec";
  loop.on_opened = [this](const OpenResult& result) {
    MutexLock lock(&mu_);
    opened_ = result;
  };
  return loop;
}

HookReply HookCaller::Call(HookCall call) {
  uint64_t sequence = 0;
  {
    MutexLock lock(&mu_);
    sequence = ++sequence_;
  }
  loop_.Call(stream_, sequence, std::move(call), "");
  MutexLock lock(&mu_);
  while (!replies_.contains(sequence)) replied_.Wait(&mu_);
  return std::move(replies_.extract(sequence).mapped());
}

OpenResult HookCaller::Describe(const std::string& operator_name, const HookEndpoint& endpoint) {
  HookCall call;
  call.operator_name = operator_name;
  call.endpoint = endpoint;
  call.known = HookState();
  call.timeout = connect_timeout_ + absl::Seconds(1);  // the connection reports its own end first
  const HookReply reply = Call(std::move(call));
  if (const auto* failure = std::get_if<HookFailure>(&reply.result)) return *failure;
  MutexLock lock(&mu_);
  if (opened_) return *opened_;
  return HookFailure{HookFailureCode::kUnavailable, "the hook was not described", {}};
}

std::variant<std::string, HookFailure> HookCaller::Sync(HookCall call) {
  HookReply reply = Call(std::move(call));
  if (auto* answer = std::get_if<std::string>(&reply.result)) return std::move(*answer);
  if (auto* failure = std::get_if<HookFailure>(&reply.result)) return std::move(*failure);
  return HookFailure{HookFailureCode::kMalformed, "the call of Sync was answered by Describe", {}};
}

}  // namespace xebec::gateway
