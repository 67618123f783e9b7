// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watcher_service.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/codec/codec.h"
#include "common/rpc/server/unary_method.h"
#include "common/rpc/status_map.h"
#include "google/protobuf/util/time_util.h"
#include "watcher/service/ask.h"
#include "watcher/service/key_paging.h"

namespace xebec::watcher {
namespace {

grpc::Status TooSlow() {
  return {grpc::StatusCode::DEADLINE_EXCEEDED,
          "the engine does not answer; it is busy or stopping"};
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  return google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(time));
}

v1::KeyState ToProto(KeyState state) {
  return static_cast<v1::KeyState>(static_cast<int>(state) + 1);
}

void Encode(const KeyView& view, v1::KeySummary* out) {
  codec::EncodeRef(view.ref, out->mutable_ref());
  out->set_uid(view.uid);
  out->set_state(ToProto(view.state));
  for (const std::string& reason : view.reasons) out->add_reasons(reason);
  out->set_failures(view.failures);
  if (view.next != absl::InfiniteFuture()) *out->mutable_next() = ToProto(view.next);
}

Engine::KindFilter KindsNamed(std::string kind) {
  return [kind = std::move(kind)](const ResourceType& type) { return NamesKind(kind, type); };
}

/// Returns the parents that match a request: one, unless the request is ambiguous.
template <typename Request>
std::vector<KeyView> FindKeys(const Engine& engine, const Request& request) {
  return engine.Find(KindsNamed(request.kind()), {request.namespace_(), request.name()});
}

/// Returns OK if exactly one parent matches.
template <typename Request>
grpc::Status ExactlyOne(const Request& request, const std::vector<KeyView>& found) {
  if (found.size() == 1) return grpc::Status::OK;
  if (request.kind().empty() || request.name().empty()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "kind and name are required; ListKeys shows them"};
  }
  const std::string asked = absl::StrCat(request.kind(), " ", request.namespace_(),
                                         request.namespace_().empty() ? "" : "/", request.name());
  if (found.empty()) {
    return {grpc::StatusCode::NOT_FOUND,
            absl::StrCat("no ", asked, " exists; ListKeys lists all parents")};
  }
  std::vector<std::string> kinds;
  kinds.reserve(found.size());
  for (const KeyView& view : found) kinds.push_back(ResourceName(view.ref.type));
  std::sort(kinds.begin(), kinds.end());
  return {grpc::StatusCode::INVALID_ARGUMENT,
          absl::StrCat(asked, " is one of ", kinds.size(), ": ", "ask for ",
                       absl::StrJoin(kinds, " or "))};
}

struct Observed {
  std::vector<KeyView> found;
  std::optional<Observation> observation;
};

}  // namespace

bool NamesKind(const std::string& kind, const ResourceType& type) {
  return kind.empty() || absl::EqualsIgnoreCase(kind, type.kind) ||
         absl::EqualsIgnoreCase(kind, type.plural) ||
         absl::EqualsIgnoreCase(kind, ResourceName(type));
}

std::vector<rpc::Method> WatcherServiceImpl::methods() {
  auto list = [this](const v1::ListKeysRequest& request, v1::ListKeysResponse* response) {
    return ListKeys(request, response);
  };
  auto observe = [this](const v1::GetObservationRequest& request,
                        v1::GetObservationResponse* response) {
    return GetObservation(request, response);
  };
  auto explain = [this](const v1::ExplainRequest& request, v1::ExplainResponse* response) {
    return Explain(request, response);
  };
  auto watch = [this](std::shared_ptr<rpc::ServerStream> stream) {
    return std::make_shared<ActivityStream>(feed_, &streams_, std::move(stream));
  };
  return {rpc::UnaryMethod<v1::ListKeysRequest, v1::ListKeysResponse>(
              "/xebec.v1.WatcherService/ListKeys", list),
          rpc::UnaryMethod<v1::GetObservationRequest, v1::GetObservationResponse>(
              "/xebec.v1.WatcherService/GetObservation", observe),
          rpc::UnaryMethod<v1::ExplainRequest, v1::ExplainResponse>(
              "/xebec.v1.WatcherService/Explain", explain),
          {"/xebec.v1.WatcherService/WatchActivity", "server_stream", watch}};
}

void WatcherServiceImpl::EndStreams() {
  streams_.Close();
  streams_.ForEach([](ActivityStream& stream) { stream.Finish(); });
}

grpc::Status WatcherServiceImpl::ListKeys(const v1::ListKeysRequest& request,
                                          v1::ListKeysResponse* response) {
  const absl::StatusOr<KeyPaging> paging = ReadPaging(request);
  if (!paging.ok()) return rpc::ToGrpc(paging.status());
  const auto page = Ask<KeyPage>(queue_, [kind = request.kind(), ns = request.namespace_(),
                                          paging = *paging](const Engine& engine, const Instant&) {
    return engine.List(KindsNamed(kind), ns, paging.token, paging.limit);
  });
  if (!page) return TooSlow();
  for (const KeyView& view : page->keys) Encode(view, response->add_keys());
  response->set_next_page_token(PageToken(request, page->next));
  return grpc::Status::OK;
}

grpc::Status WatcherServiceImpl::GetObservation(const v1::GetObservationRequest& request,
                                                v1::GetObservationResponse* response) {
  const auto answer =
      Ask<Observed>(queue_, [asked = request](const Engine& engine, const Instant& now) {
        Observed observed{FindKeys(engine, asked), {}};
        if (observed.found.size() == 1) {
          observed.observation = engine.Observe(observed.found.front().ref, now);
        }
        return observed;
      });
  if (!answer) return TooSlow();
  grpc::Status one = ExactlyOne(request, answer->found);
  if (!one.ok()) return one;
  if (!answer->observation) return ExactlyOne(request, {});
  codec::EncodeObservation(*answer->observation, codec::ObjectForm::kObject,
                           response->mutable_observation());
  return grpc::Status::OK;
}

grpc::Status WatcherServiceImpl::Explain(const v1::ExplainRequest& request,
                                         v1::ExplainResponse* response) {
  const auto answer = Ask<std::vector<KeyView>>(
      queue_,
      [asked = request](const Engine& engine, const Instant&) { return FindKeys(engine, asked); });
  if (!answer) return TooSlow();
  grpc::Status one = ExactlyOne(request, *answer);
  if (!one.ok()) return one;
  const KeyView& view = answer->front();
  Encode(view, response->mutable_key());
  response->set_explanation(view.explanation);
  for (const Outcome& outcome : view.last_outcomes)
    codec::EncodeOutcome(outcome, response->add_last_outcomes());
  for (const std::string& line : view.waiting_for) response->add_waiting_for(line);
  return grpc::Status::OK;
}

}  // namespace xebec::watcher
