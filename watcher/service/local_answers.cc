// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/local_answers.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/codec/codec.h"
#include "common/rpc/status_map.h"
#include "common/telemetry/proc.h"
#include "google/protobuf/util/time_util.h"
#include "watcher/service/ask.h"
#include "watcher/service/peers/fan_out.h"
#include "watcher/service/peers/merge.h"

namespace xebec::watcher {
namespace {

google::protobuf::Timestamp ToProto(absl::Time time) {
  return google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(time));
}

v1::KeyState ToProto(KeyState state) {
  return static_cast<v1::KeyState>(static_cast<int>(state) + 1);
}

void Encode(const KeyView& view, v1::KeySummary* out) {
  codec::EncodeRef(view.ref, out->mutable_ref());
  out->set_controller(view.controller);
  out->set_uid(view.uid);
  out->set_state(ToProto(view.state));
  for (const std::string& reason : view.reasons) out->add_reasons(reason);
  out->set_failures(view.failures);
  if (view.next != absl::InfiniteFuture()) *out->mutable_next() = ToProto(view.next);
}

/// The parents that match a request: one, unless the request is ambiguous.
struct Found {
  std::vector<KeyView> keys;
  std::set<std::string> kinds;  ///< The resources that have the requested name.
  std::optional<Observation> observation;
  std::string watcher;  ///< The identity of this watcher.
  std::string gap;      ///< See WhyIncomplete.
};

/// Returns why parents of this watcher may be missing, as the error of an UnansweredWatcher; empty
/// if none are.
std::string WhyIncomplete(const Engine& engine, const std::string& kind) {
  const UnlistedBuckets unlisted =
      engine.Unlisted([&](const ResourceType& type) { return NamesKind(kind, type); });
  if (unlisted.buckets.empty()) return "";
  return absl::StrCat("is still listing the objects of ", unlisted.buckets.size(),
                      " of its buckets",
                      unlisted.reason.empty() ? "" : absl::StrCat(" (", unlisted.reason, ")"));
}

template <typename Request>
Found FindKeys(const Engine& engine, const Request& request) {
  Found found;
  const auto named = [&](const ResourceType& type) {
    const bool yes = NamesKind(request.kind(), type);
    if (yes) found.kinds.insert(ResourceName(type));
    return yes;
  };
  found.keys = engine.Find(named, {request.namespace_(), request.name()});
  std::erase_if(found.keys, [&](const KeyView& view) {
    return !request.controller().empty() && view.controller != request.controller();
  });
  if (found.keys.empty()) found.gap = WhyIncomplete(engine, request.kind());
  return found;
}

/// Returns OK if exactly one parent matches.
template <typename Request>
grpc::Status ExactlyOne(const Request& request, const Found& matches) {
  const std::vector<KeyView>& found = matches.keys;
  if (found.size() == 1) return grpc::Status::OK;
  if (request.kind().empty() || request.name().empty()) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            "kind and name are required; to list all parents, run xebec keys"};
  }
  if (!matches.gap.empty()) return {grpc::StatusCode::FAILED_PRECONDITION, matches.gap};
  const std::string asked = AskedText(request.kind(), request.namespace_(), request.name());
  if (found.empty()) {
    return {grpc::StatusCode::NOT_FOUND,
            absl::StrCat("no ", asked, " exists; to list all parents, run xebec keys")};
  }
  std::set<std::string> kinds, controllers;
  for (const KeyView& view : found) {
    kinds.insert(ResourceName(view.ref.type));
    controllers.insert(view.controller);
  }
  if (kinds.size() == 1) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            absl::StrCat(asked, " has ", controllers.size(), " controllers: ask for controller ",
                         absl::StrJoin(controllers, " or "))};
  }
  return rpc::ToGrpc(AmbiguousName(asked, {kinds.begin(), kinds.end()}));
}

}  // namespace

grpc::Status TooSlow() {
  return {grpc::StatusCode::DEADLINE_EXCEEDED,
          "the engine does not answer; it is busy or stopping"};
}

std::string AskedText(const std::string& kind, const std::string& ns, const std::string& name) {
  return absl::StrCat(kind, " ", ns, ns.empty() ? "" : "/", name);
}

bool NamesKind(const std::string& kind, const ResourceType& type) {
  return kind.empty() || absl::EqualsIgnoreCase(kind, type.kind) ||
         absl::EqualsIgnoreCase(kind, type.plural) ||
         absl::EqualsIgnoreCase(kind, ResourceName(type));
}

grpc::Status ListKeysHere(MessageQueue* queue, const v1::ListKeysRequest& request,
                          const KeyPaging& paging, v1::ListKeysResponse* response) {
  struct Listed {
    KeyPage page;
    std::string gap;
    MemberView self;
  };
  const auto listed = Ask<Listed>(queue, [kind = request.kind(), ns = request.namespace_(), paging](
                                             const Engine& engine, const Instant& now) {
    const auto named = [&](const ResourceType& type) { return NamesKind(kind, type); };
    Listed it{engine.List(named, ns, paging.token, paging.limit), WhyIncomplete(engine, kind), {}};
    if (!it.gap.empty()) it.self = SelfOf(engine.Members(now));
    return it;
  });
  if (!listed) return TooSlow();
  for (const KeyView& view : listed->page.keys) Encode(view, response->add_keys());
  response->set_next_page_token(PageToken(request, listed->page.next));
  if (!listed->gap.empty())
    *response->add_unanswered() = DescribeIncomplete(listed->self, listed->gap);
  return grpc::Status::OK;
}

Here<v1::GetObservationResponse> ObserveHere(MessageQueue* queue,
                                             const v1::GetObservationRequest& request) {
  const auto found = Ask<Found>(queue, [asked = request](const Engine& engine, const Instant& now) {
    Found it = FindKeys(engine, asked);
    if (it.keys.size() == 1) {
      const KeyView& key = it.keys.front();
      it.observation = engine.Observe(key.ref, now, key.controller);
    }
    return it;
  });
  if (!found) return {TooSlow(), {}, false};
  Here<v1::GetObservationResponse> here{ExactlyOne(request, *found), {}, found->kinds.size() == 1};
  if (!here.status.ok()) return here;
  if (found->observation) {
    codec::EncodeObservation(*found->observation, codec::ObjectForm::kObject,
                             here.response.mutable_observation());
  } else {
    here.status = ExactlyOne(request, Found());
  }
  return here;
}

Here<v1::ExplainResponse> ExplainHere(MessageQueue* queue, const v1::ExplainRequest& request) {
  const auto found = Ask<Found>(queue, [asked = request](const Engine& engine, const Instant& now) {
    Found it = FindKeys(engine, asked);
    it.watcher = SelfOf(engine.Members(now)).identity;
    return it;
  });
  if (!found) return {TooSlow(), {}, false};
  Here<v1::ExplainResponse> here{ExactlyOne(request, *found), {}, found->kinds.size() == 1};
  if (!here.status.ok()) return here;
  const KeyView& view = found->keys.front();
  Encode(view, here.response.mutable_key());
  here.response.set_explanation(view.explanation);
  here.response.set_watcher(found->watcher);
  for (const Outcome& outcome : view.last_outcomes)
    codec::EncodeOutcome(outcome, here.response.add_last_outcomes());
  for (const std::string& line : view.waiting_for) here.response.add_waiting_for(line);
  return here;
}

grpc::Status MeasureHere(MessageQueue* queue, v1::WatcherSummary* summary) {
  const auto figures = Ask<EngineFigures>(
      queue, [](const Engine& engine, const Instant& now) { return engine.Figures(now); });
  if (!figures) return TooSlow();
  uint64_t keys = 0;
  for (const ControllerFigures& each : figures->controllers) keys += each.keys;
  summary->set_keys(keys);
  summary->set_resident_bytes(static_cast<uint64_t>(telemetry::ReadProc().resident_bytes));
  return grpc::Status::OK;
}

}  // namespace xebec::watcher
