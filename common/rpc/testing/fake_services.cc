// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/testing/fake_services.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/rpc/server/message_bytes.h"
#include "common/rpc/server/unary_method.h"
#include "gtest/gtest.h"

namespace xebec::rpc {

namespace {

/// Reads the requests of a stream one by one.
template <typename Request>
class Requests final : public StreamHandler {
 public:
  using Take = std::function<void(ServerStream*, const Request&)>;
  using Done = std::function<void(ServerStream*)>;
  Requests(std::shared_ptr<ServerStream> stream, Take take, Done done)
      : stream_(std::move(stream)), take_(std::move(take)), done_(std::move(done)) {}

  void OnOpen() override { stream_->Read(); }
  void OnRead(grpc::ByteBuffer* message) override {
    Request request;
    if (message == nullptr || !DecodeMessage(message, &request).ok()) {
      return stream_->Finish(grpc::Status::OK);
    }
    take_(stream_.get(), request);
    stream_->Read();
  }
  void OnDone() override { done_(stream_.get()); }

 private:
  const std::shared_ptr<ServerStream> stream_;
  const Take take_;
  const Done done_;
};

template <typename Held>
void Forget(const ServerStream* stream, Held* held) {
  std::erase_if(*held, [stream](const auto& entry) { return entry.first == stream; });
}

}  // namespace

std::vector<Method> FakePlanner::methods() {
  auto describe = [this](const v1::DescribeKindsRequest&, v1::DescribeKindsResponse* response) {
    response->set_planner_revision(revision_);
    return grpc::Status::OK;
  };
  auto plan = [](const v1::PlanRequest&, v1::PlanResponse*) {
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "");
  };
  auto open = [this](std::shared_ptr<ServerStream> stream) {
    state_.With([](State& state) { return ++state.streams; });
    return std::make_shared<Requests<v1::PlanStreamRequest>>(
        std::move(stream),
        [this](ServerStream* link, const v1::PlanStreamRequest& request) { Handle(link, request); },
        [this](ServerStream* link) { state_.With([=](State& s) { Forget(link, &s.held); }); });
  };
  return {UnaryMethod<v1::DescribeKindsRequest, v1::DescribeKindsResponse>(
              "/xebec.v1.PlannerService/DescribeKinds", describe),
          UnaryMethod<v1::PlanRequest, v1::PlanResponse>("/xebec.v1.PlannerService/Plan", plan),
          {"/xebec.v1.PlannerService/PlanStream", "bidi_stream", open}};
}

void FakePlanner::Handle(ServerStream* stream, const v1::PlanStreamRequest& request) {
  state_.With([&](State& state) {
    if (state.manner == Manner::kMute) return;
    v1::PlanStreamResponse response;
    if (!request.has_observation()) return stream->Write(EncodeMessage(response));
    ++state.received;
    response.set_sequence(request.observation().envelope().sequence());
    if (state.manner == Manner::kRefuse) {
      response.set_error("observation.parent: missing");
    } else {
      *response.mutable_plan()->mutable_envelope() = request.observation().envelope();
      response.mutable_plan()->set_completeness(v1::COMPLETENESS_FULL);
      response.mutable_plan()->set_verdict(v1::VERDICT_OK);
      response.mutable_plan()->set_planner_revision(revision_);
    }
    if (state.manner != Manner::kHold) return stream->Write(EncodeMessage(response));
    state.held.emplace_back(stream, response);
  });
}

void FakePlanner::SetManner(Manner manner) {
  state_.With([&](State& state) { return state.manner = manner; });
}

void FakePlanner::Release() {
  state_.With([](State& state) {
    for (auto& [stream, response] : state.held) stream->Write(EncodeMessage(response));
    state.held.clear();
  });
}

bool FakePlanner::AwaitReceived(size_t count) {
  return state_.Await([count](const State& state) { return state.received >= count; });
}

size_t FakePlanner::received() {
  return state_.With([](State& state) { return state.received; });
}

size_t FakePlanner::streams() {
  return state_.With([](State& state) { return state.streams; });
}

std::vector<Method> FakeApplier::methods() {
  auto open = [this](std::shared_ptr<ServerStream> stream) {
    v1::ApplyStreamResponse grant;
    grant.set_credits(credits_);
    stream->Write(EncodeMessage(grant));
    return std::make_shared<Requests<v1::ApplyStreamRequest>>(
        std::move(stream),
        [this](ServerStream* link, const v1::ApplyStreamRequest& request) {
          Handle(link, request);
        },
        [this](ServerStream* link) {
          state_.With([=](State& state) {
            Forget(link, &state.held);
            state.last.erase(link);
            state.open.erase(link);
          });
        });
  };
  return {{"/xebec.v1.ApplierService/ApplyStream", "bidi_stream", open}};
}

void FakeApplier::Handle(ServerStream* stream, const v1::ApplyStreamRequest& request) {
  state_.With([&](State& state) {
    v1::ApplyStreamResponse response;
    if (!request.has_plan()) return stream->Write(EncodeMessage(response));
    const uint64_t sequence = request.plan().envelope().sequence();
    ++state.received;
    state.capable = state.capable && request.capabilities_size() > 0;
    state.in_order = state.in_order && sequence > state.last[stream];
    state.last[stream] = sequence;
    state.most_at_once = std::max(state.most_at_once, ++state.open[stream]);
    response.set_sequence(sequence);
    response.set_credits(1);
    if (state.manner == Manner::kRefuse) {
      response.set_error("plan.stages[0]: missing");
    } else {
      *response.mutable_report()->mutable_envelope() = request.plan().envelope();
    }
    if (state.manner == Manner::kUnavailable) {
      v1::Outcome* const outcome = response.mutable_report()->add_outcomes();
      outcome->set_operation("delete Pod default/x");
      outcome->set_code(v1::OUTCOME_CODE_UNAVAILABLE);
      outcome->set_certainty(v1::CERTAINTY_REJECTED);
      outcome->set_reason("LeaseUnreadable");
    }
    if (state.manner == Manner::kHold) {
      state.held.emplace_back(stream, response);
      return;
    }
    --state.open[stream];
    return stream->Write(EncodeMessage(response));
  });
}

void FakeApplier::SetManner(Manner manner) {
  state_.With([&](State& state) { return state.manner = manner; });
}

void FakeApplier::ReleaseOne() {
  state_.With([](State& state) {
    if (state.held.empty()) return;
    auto [stream, response] = state.held.front();
    state.held.erase(state.held.begin());
    --state.open[stream];
    stream->Write(EncodeMessage(response));
  });
}

bool FakeApplier::AwaitReceived(size_t count) {
  return state_.Await([count](const State& state) { return state.received >= count; });
}

size_t FakeApplier::received() {
  return state_.With([](State& state) { return state.received; });
}

size_t FakeApplier::most_at_once() {
  return state_.With([](State& state) { return state.most_at_once; });
}

bool FakeApplier::in_order() {
  return state_.With([](State& state) { return state.in_order; });
}

bool FakeApplier::capable() {
  return state_.With([](State& state) { return state.capable; });
}

FakeHost::FakeHost(std::string path, Service* service) : path_(std::move(path)), service_(service) {
  Start();
}

void FakeHost::Start() {
  ServerOptions options;
  options.listen = {target()};
  auto server = Server::Start(options, {service_});
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
}

void FakeHost::Kill() { server_.reset(); }

std::string SocketPath(const std::string& name) {
  static int counter = 0;
  return absl::StrCat(testing::TempDir(), "xebec-", getpid(), "-", ++counter, "-", name);
}

}  // namespace xebec::rpc
