// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watcher_service.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/codec/codec.h"
#include "google/protobuf/util/time_util.h"
#include "watcher/service/ask.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kActivityPoll = absl::Milliseconds(500);

grpc::Status TooSlow() {
  return {grpc::StatusCode::DEADLINE_EXCEEDED,
          "the engine did not answer within 5 s; it is busy or stopping"};
}

grpc::Status Unknown(const std::string& kind, const std::string& ns, const std::string& name) {
  return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no ", kind, " ", ns, "/", name,
                                                    " is known; ListKeys shows the ones that are")};
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

std::optional<KeyView> FindKey(const Engine& engine, const std::string& kind, const std::string& ns,
                               const std::string& name) {
  for (KeyView& view : engine.Keys()) {
    if (view.ref.ns == ns && view.ref.name == name && NamesKind(kind, view.ref.type))
      return std::move(view);
  }
  return std::nullopt;
}

}  // namespace

bool NamesKind(const std::string& kind, const ResourceType& type) {
  return kind.empty() || absl::EqualsIgnoreCase(kind, type.kind) ||
         absl::EqualsIgnoreCase(kind, type.plural) ||
         absl::EqualsIgnoreCase(kind, ResourceName(type));
}

grpc::Status WatcherServiceImpl::ListKeys(grpc::ServerContext*, const v1::ListKeysRequest* request,
                                          v1::ListKeysResponse* response) {
  const auto keys = Ask<std::vector<KeyView>>(
      mailbox_, [](const Engine& engine, const Instant&) { return engine.Keys(); });
  if (!keys) return TooSlow();
  for (const KeyView& view : *keys) {
    const bool in_namespace = request->namespace_().empty() || request->namespace_() == view.ref.ns;
    if (in_namespace && NamesKind(request->kind(), view.ref.type))
      Encode(view, response->add_keys());
  }
  return grpc::Status::OK;
}

grpc::Status WatcherServiceImpl::GetObservation(grpc::ServerContext*,
                                                const v1::GetObservationRequest* request,
                                                v1::GetObservationResponse* response) {
  const auto answer = Ask<std::optional<Observation>>(
      mailbox_,
      [asked = *request](const Engine& engine, const Instant& now) -> std::optional<Observation> {
        const auto key = FindKey(engine, asked.kind(), asked.namespace_(), asked.name());
        return key ? engine.Observe(key->ref, now) : std::nullopt;
      });
  if (!answer) return TooSlow();
  if (!*answer) return Unknown(request->kind(), request->namespace_(), request->name());
  codec::EncodeObservation(**answer, codec::ObjectForm::kObject, response->mutable_observation());
  return grpc::Status::OK;
}

grpc::Status WatcherServiceImpl::Explain(grpc::ServerContext*, const v1::ExplainRequest* request,
                                         v1::ExplainResponse* response) {
  const auto answer = Ask<std::optional<KeyView>>(
      mailbox_, [asked = *request](const Engine& engine, const Instant&) {
        return FindKey(engine, asked.kind(), asked.namespace_(), asked.name());
      });
  if (!answer) return TooSlow();
  if (!*answer) return Unknown(request->kind(), request->namespace_(), request->name());
  const KeyView& view = **answer;
  Encode(view, response->mutable_key());
  response->set_explanation(view.explanation);
  for (const Outcome& outcome : view.last_outcomes)
    codec::EncodeOutcome(outcome, response->add_last_outcomes());
  for (const std::string& line : view.waiting_for) response->add_waiting_for(line);
  return grpc::Status::OK;
}

grpc::Status WatcherServiceImpl::WatchActivity(
    grpc::ServerContext* context, const v1::WatchActivityRequest*,
    grpc::ServerWriter<v1::WatchActivityResponse>* writer) {
  const std::shared_ptr<ActivityFeed::Subscription> subscription = feed_->Subscribe();
  while (!context->IsCancelled() && !stopping_()) {
    const std::optional<Activity> activity = subscription->Next(kActivityPoll);
    if (!activity) continue;
    v1::WatchActivityResponse message;
    *message.mutable_time() = ToProto(activity->time);
    if (activity->ref) codec::EncodeRef(*activity->ref, message.mutable_ref());
    message.set_what(activity->what);
    message.set_detail(activity->detail);
    if (!writer->Write(message)) break;
  }
  return grpc::Status::OK;
}

}  // namespace xebec::watcher
