// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/gateway_loop.h"

#include <latch>

#include "common/base/clock.h"
#include "common/telemetry/log.h"
#include "hooks/service/make_link.h"

namespace xebec::gateway {
namespace {

using telemetry::Level;

constexpr char kLogger[] = "hooks";
constexpr size_t kResolvers = 4;
constexpr size_t kCodecs = 2;
constexpr long kIdleConnections = 256;

http::WebClient::Options WebOptions(const LoopOptions& options) {
  return {"hooks-http", options.user_agent, static_cast<long>(options.limits.concurrency),
          kIdleConnections};
}

absl::Duration Now() { return ReadClock().monotonic; }

}  // namespace

GatewayLoop::GatewayLoop(LoopOptions options, GatewayMetrics* metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      engine_(options_.limits),
      resolvers_("hooks-dns", kResolvers),
      codecs_("hooks-json", kCodecs),
      web_(WebOptions(options_)) {
  loop_.Add(this);
}

GatewayLoop::~GatewayLoop() {
  std::latch closed(1);
  Post([this, &closed] {
    CloseAll();
    closed.count_down();
  });
  closed.wait();
  operations_.AwaitNone();
  resolvers_.Stop();
  codecs_.Stop();
  inbox_.Close();
  loop_.Remove(this);
}

uint64_t GatewayLoop::OpenStream(OnReply on_reply) {
  const uint64_t stream = ++numbers_;
  Post([this, stream, on_reply = std::move(on_reply)] { streams_[stream] = on_reply; });
  return stream;
}

void GatewayLoop::Call(uint64_t stream, uint64_t sequence, HookCall call, std::string digest) {
  auto shared = std::make_shared<HookCall>(std::move(call));
  Post([this, stream, sequence, shared, digest = std::move(digest)] {
    if (!streams_.contains(stream)) return;
    Run(engine_.Call(Now(), {stream, sequence}, std::move(*shared), digest));
  });
}

void GatewayLoop::CloseStream(uint64_t stream) {
  Post([this, stream] {
    streams_.erase(stream);
    Run(engine_.StreamEnded(Now(), stream));
  });
}

void GatewayLoop::Post(std::function<void()> function) {
  if (!inbox_.PushNow(std::move(function))) return;
  loop_.WakeBefore(-absl::InfiniteDuration());
}

absl::Duration GatewayLoop::Due() { return inbox_.empty() ? due_ : -absl::InfiniteDuration(); }

void GatewayLoop::Tick() {
  for (const auto& function : inbox_.PopAll(absl::ZeroDuration())) function();
  const absl::Duration now = Now();
  if (engine_.due() <= now) Run(engine_.Tick(now));
  due_ = engine_.due();
}

LinkSite GatewayLoop::Site() {
  LinkSite site;
  site.post = [this](std::function<void()> function) { Post(std::move(function)); };
  site.loop = &loop_;
  site.resolvers = &resolvers_;
  site.codecs = &codecs_;
  site.web = &web_;
  site.operations = &operations_;
  site.policy = &options_.policy;
  site.credentials = &options_.credentials;
  site.max_answer_bytes = options_.limits.max_answer_bytes;
  site.connect_timeout = options_.connect_timeout;
  return site;
}

void GatewayLoop::Run(const Outputs& outputs) {
  for (const Output& output : outputs) {
    std::visit([this](const auto& each) { Do(each); }, output);
  }
  due_ = engine_.due();
  metrics_->Set(engine_.figures());
}

void GatewayLoop::Do(const Open& open) {
  LinkEvents events;
  events.on_opened = [this, open](const OpenResult& result) { OnOpened(open, result); };
  events.on_lost = [this, hook = open.hook, connection = open.connection] {
    OnLost(hook, connection);
  };
  events.on_answer = [this, hook = open.hook](uint64_t call, CallResult result) {
    OnAnswer(hook, call, std::move(result));
  };
  const Link link = MakeLink(Site(), open, std::move(events));
  links_[open.hook].opening[open.connection] = link;
  link->Open();
}

void GatewayLoop::Do(const Send& send) {
  const Link link = links_[send.hook].current;
  if (link == nullptr) return;
  calls_[{send.hook, send.call}] = link;
  link->Send(send.call, send.request, send.timeout);
}

void GatewayLoop::Do(const CancelSend& cancel) {
  const auto found = calls_.find({cancel.hook, cancel.call});
  if (found == calls_.end()) return;
  found->second->Cancel(cancel.call);
  calls_.erase(found);
}

void GatewayLoop::Do(const Close& close) {
  Links& links = links_[close.hook];
  if (links.current != nullptr) links.current->Close();
  for (const auto& [connection, link] : links.opening) link->Close();
  links_.erase(close.hook);
  metrics_->Forget(close.operator_name);
}

void GatewayLoop::Do(const SendReply& reply) {
  metrics_->Replied(reply);
  const auto stream = streams_.find(reply.ticket.stream);
  if (stream != streams_.end()) stream->second(reply.ticket.sequence, reply.reply);
}

void GatewayLoop::OnOpened(const Open& open, const OpenResult& result) {
  Links& links = links_[open.hook];
  const auto opened = links.opening.find(open.connection);
  if (opened == links.opening.end()) return;
  LogChange(open, result);
  if (options_.on_opened) options_.on_opened(result);
  const bool ok = std::holds_alternative<HookDescription>(result);
  // Calls on the previous connection keep it until they end.
  if (links.current != nullptr) links.current->Retire();
  links.current = ok ? opened->second : nullptr;
  links.connection = ok ? open.connection : 0;
  links.opening.erase(opened);
  Run(engine_.Opened(Now(), open.hook, open.connection, result));
}

/// A hook is described again and again, above all one that fails.
void GatewayLoop::LogChange(const Open& open, const OpenResult& result) {
  std::string& logged = links_[open.hook].logged;
  if (const auto* failure = std::get_if<HookFailure>(&result)) {
    if (std::exchange(logged, failure->message) == failure->message) return;
    telemetry::Log(Level::kWarning, kLogger, "Could not describe hook",
                   {{"operator", open.operator_name},
                    {"endpoint", Describe(open.endpoint)},
                    {"reason", Name(failure->code)},
                    {"error", failure->message}});
    return;
  }
  const auto& description = std::get<HookDescription>(result);
  const std::string line = "revision " + description.revision;
  if (std::exchange(logged, line) == line) return;
  telemetry::Log(Level::kInfo, kLogger, "Described hook",
                 {{"operator", open.operator_name},
                  {"endpoint", Describe(open.endpoint)},
                  {"revision", description.revision},
                  {"library", description.library},
                  {"streams", description.sync_stream}});
}

void GatewayLoop::OnLost(uint64_t hook, uint64_t connection) {
  Links& links = links_[hook];
  if (links.connection == connection) {
    if (links.current != nullptr) links.current->Retire();
    links.current = nullptr;
    links.connection = 0;
  }
  Run(engine_.Lost(Now(), hook, connection));
}

void GatewayLoop::OnAnswer(uint64_t hook, uint64_t call, CallResult result) {
  if (calls_.erase({hook, call}) == 0) return;
  Run(engine_.Answered(Now(), hook, call, std::move(result)));
}

void GatewayLoop::CloseAll() {
  for (const auto& [key, link] : calls_) link->Close();
  for (const auto& [hook, links] : links_) {
    if (links.current != nullptr) links.current->Close();
    for (const auto& [connection, link] : links.opening) link->Close();
  }
  calls_.clear();
  links_.clear();
  streams_.clear();
}

}  // namespace xebec::gateway
