// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/grpc_link.h"

#include <utility>

#include "common/base/clock.h"
#include "hooks/service/grpc_channel.h"
#include "hooks/service/hook_messages.h"
#include "hooks/service/link_target.h"

namespace xebec::gateway {
namespace {

constexpr char kDescribe[] = "/xebec.hooks.v1.HookService/Describe";
constexpr char kSync[] = "/xebec.hooks.v1.HookService/Sync";
/// A watch of the connection ends after this time and starts again, so that the process can end.
constexpr absl::Duration kWatch = absl::Milliseconds(500);
/// Larger answers are read on another thread.
constexpr size_t kQuicklyRead = 64 << 10;

}  // namespace

/// Reports when a ready channel stops being ready. It keeps itself alive until then.
class GrpcLink::StateWatch final : public rpc::Completion {
 public:
  static void Start(const std::shared_ptr<GrpcLink>& link) {
    auto* watch = new StateWatch(link);
    link->site_.operations->Begin();
    watch->Wait();
  }

  void Done(bool) override {
    const std::shared_ptr<GrpcLink> link = link_.lock();
    if (link != nullptr && !link->closed_ && channel_->GetState(false) == GRPC_CHANNEL_READY)
      return Wait();
    if (link != nullptr) link->OnLost();
    Operations* const operations = operations_;
    delete this;
    operations->End();
  }

 private:
  explicit StateWatch(const std::shared_ptr<GrpcLink>& link)
      : link_(link),
        operations_(link->site_.operations),
        loop_(link->site_.loop),
        channel_(link->channel_) {}

  void Wait() {
    channel_->NotifyOnStateChange(GRPC_CHANNEL_READY, absl::ToChronoTime(ReadClock().wall + kWatch),
                                  loop_->queue(), static_cast<rpc::Completion*>(this));
  }

  const std::weak_ptr<GrpcLink> link_;
  Operations* const operations_;
  rpc::StreamLoop* const loop_;
  const std::shared_ptr<grpc::Channel> channel_;
};

GrpcLink::GrpcLink(const LinkSite& site, const struct Open& open, LinkEvents events)
    : site_(site), open_(open), events_(std::move(events)) {
  facts_.endpoint = Describe(open.endpoint);
  facts_.max_answer_bytes = site.max_answer_bytes;
  facts_.timeout = site.connect_timeout;
}

void GrpcLink::Open() {
  absl::StatusOr<LinkTarget> to = CheckEndpoint(site_, open_.endpoint);
  if (!to.ok()) {
    return site_.post(
        [self = shared_from_this(), failure = FailureOf(to.status())] { self->Fail(failure); });
  }
  facts_.server_name = to->target.server_name;
  site_.resolvers->Run([self = shared_from_this(), to = *std::move(to)] {
    auto addresses = ResolveAllowed(*self->site_.policy, to.target);
    self->site_.post(
        [self, to, addresses = std::move(addresses)] { self->OnResolved(to, addresses); });
  });
}

void GrpcLink::Fail(HookFailure failure) {
  if (!closed_) events_.on_opened(std::move(failure));
}

void GrpcLink::OnResolved(const LinkTarget& to,
                          const absl::StatusOr<std::vector<IpAddress>>& addresses) {
  if (closed_) return;
  if (!addresses.ok()) return Fail(FailureOf(addresses.status()));
  channel_ = MakeHookChannel(to, *addresses, site_.max_answer_bytes, site_.connect_timeout);
  describe_ = UnaryCall::Start(
      site_.loop, site_.operations,
      {channel_, kDescribe, DescribeRequestBytes(open_.operator_name), site_.connect_timeout},
      [self = shared_from_this()](const std::string& response, const GrpcEnd* failure) {
        self->OnDescribed(response, failure);
      });
}

void GrpcLink::OnDescribed(const std::string& response, const GrpcEnd* failure) {
  describe_ = nullptr;
  if (closed_) return;
  if (failure != nullptr) return Fail(GrpcFailure(facts_, *failure));
  const OpenResult result = ReadDescription(facts_, response);
  const auto* description = std::get_if<HookDescription>(&result);
  streams_ = description != nullptr && description->sync_stream;
  if (description != nullptr) StateWatch::Start(shared_from_this());
  events_.on_opened(result);
}

void GrpcLink::OnLost() {
  if (!closed_ && !std::exchange(lost_, true)) events_.on_lost();
}

void GrpcLink::Send(uint64_t call, const std::string& request, absl::Duration timeout) {
  if (!IsReady()) {
    // gRPC would connect to another process, which may have another revision.
    return site_.post([self = shared_from_this(), call] {
      self->OnLost();
      if (self->closed_) return;
      const GrpcEnd end{grpc::StatusCode::UNAVAILABLE, "the connection was closed", {}};
      self->events_.on_answer(call, GrpcFailure(self->facts_, end));
    });
  }
  if (!streams_) return SendUnary(call, request, timeout);
  if (stream_ == nullptr) {
    SyncStream::Events events;
    events.on_answer = [self = shared_from_this()](uint64_t answered, std::string response) {
      if (!self->closed_) self->OnAnswer(answered, self->facts_, std::move(response));
    };
    events.on_failure = [self = shared_from_this()](uint64_t failed, const HookFailure& failure) {
      if (!self->closed_) self->events_.on_answer(failed, failure);
    };
    events.on_end = [self = shared_from_this()](bool too_large) { self->OnStreamEnded(too_large); };
    stream_ = SyncStream::Start(site_, channel_, facts_, std::move(events));
  }
  stream_->Send(call, request);
}

void GrpcLink::OnStreamEnded(bool too_large) {
  stream_ = nullptr;
  // One answer that is too large ends the stream with all calls on it. Without streams, it fails
  // alone.
  if (too_large) streams_ = false;
  // A proxy may keep the connection although another program answers now.
  if (!too_large || !IsReady()) OnLost();
}

bool GrpcLink::IsReady() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }

void GrpcLink::SendUnary(uint64_t call, const std::string& request, absl::Duration timeout) {
  calls_[call] = UnaryCall::Start(
      site_.loop, site_.operations, {channel_, kSync, request, timeout},
      [self = shared_from_this(), call, timeout](std::string response, const GrpcEnd* failure) {
        self->OnUnaryEnd(call, std::move(response), failure, timeout);
      });
}

void GrpcLink::OnUnaryEnd(uint64_t call, std::string response, const GrpcEnd* failure,
                          absl::Duration timeout) {
  calls_.erase(call);
  if (closed_) return;
  CallFacts facts = facts_;
  facts.timeout = timeout;
  if (failure != nullptr) {
    if (!IsReady()) OnLost();
    return events_.on_answer(call, GrpcFailure(facts, *failure));
  }
  OnAnswer(call, facts, std::move(response));
}

void GrpcLink::OnAnswer(uint64_t call, const CallFacts& facts, std::string response) {
  if (response.size() <= kQuicklyRead)
    return events_.on_answer(call, ReadAnswer(facts, std::move(response)));
  site_.codecs->Run([self = shared_from_this(), call, facts, bytes = std::move(response)] {
    CallResult result = ReadAnswer(facts, bytes);
    self->site_.post([self, call, result = std::move(result)] {
      if (!self->closed_) self->events_.on_answer(call, result);
    });
  });
}

void GrpcLink::Cancel(uint64_t call) {
  if (stream_ != nullptr) stream_->Forget(call);
  const auto found = calls_.find(call);
  if (found != calls_.end()) found->second->Cancel();
}

void GrpcLink::Retire() {
  if (stream_ != nullptr) stream_->Retire();
}

void GrpcLink::Close() {
  closed_ = true;
  events_ = {};
  if (describe_ != nullptr) describe_->Cancel();
  if (stream_ != nullptr) stream_->Cancel();
  for (const auto& [call, unary] : calls_) unary->Cancel();
}

}  // namespace xebec::gateway
