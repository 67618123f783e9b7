// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/testing/fake_services.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xebec::rpc {

grpc::Status FakePlanner::DescribeKinds(grpc::ServerContext*, const v1::DescribeKindsRequest*,
                                        v1::DescribeKindsResponse* response) {
  response->set_planner_revision(revision_);
  return grpc::Status::OK;
}

grpc::Status FakePlanner::PlanStream(grpc::ServerContext*, Stream* stream) {
  state_.With([](State& state) { return ++state.streams; });
  v1::PlanStreamRequest request;
  while (stream->Read(&request)) Handle(stream, request);
  state_.With([stream](State& state) {
    const auto mine = [stream](const auto& entry) { return entry.first == stream; };
    state.held.erase(std::remove_if(state.held.begin(), state.held.end(), mine), state.held.end());
    return 0;
  });
  return grpc::Status::OK;
}

void FakePlanner::Handle(Stream* stream, const v1::PlanStreamRequest& request) {
  state_.With([&](State& state) {
    if (state.manner == Manner::kMute) return false;
    v1::PlanStreamResponse response;
    if (!request.has_observation()) return stream->Write(response);
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
    if (state.manner != Manner::kHold) return stream->Write(response);
    state.held.emplace_back(stream, response);
    return true;
  });
}

void FakePlanner::SetManner(Manner manner) {
  state_.With([&](State& state) { return state.manner = manner; });
}

void FakePlanner::Release() {
  state_.With([](State& state) {
    for (auto& [stream, response] : state.held) stream->Write(response);
    state.held.clear();
    return 0;
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

grpc::Status FakeApplier::ApplyStream(grpc::ServerContext*, Stream* stream) {
  v1::ApplyStreamResponse grant;
  grant.set_credits(credits_);
  stream->Write(grant);
  v1::ApplyStreamRequest request;
  while (stream->Read(&request)) Handle(stream, request);
  state_.With([stream](State& state) {
    const auto mine = [stream](const auto& entry) { return entry.first == stream; };
    state.held.erase(std::remove_if(state.held.begin(), state.held.end(), mine), state.held.end());
    state.last.erase(stream);
    return state.open.erase(stream);
  });
  return grpc::Status::OK;
}

void FakeApplier::Handle(Stream* stream, const v1::ApplyStreamRequest& request) {
  state_.With([&](State& state) {
    v1::ApplyStreamResponse response;
    if (!request.has_plan()) return stream->Write(response);
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
      return true;
    }
    --state.open[stream];
    return stream->Write(response);
  });
}

void FakeApplier::SetManner(Manner manner) {
  state_.With([&](State& state) { return state.manner = manner; });
}

void FakeApplier::ReleaseOne() {
  state_.With([](State& state) {
    if (state.held.empty()) return false;
    auto [stream, response] = state.held.front();
    state.held.erase(state.held.begin());
    --state.open[stream];
    return stream->Write(response);
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

FakeHost::FakeHost(std::string path, grpc::Service* service)
    : path_(std::move(path)), service_(service) {
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
