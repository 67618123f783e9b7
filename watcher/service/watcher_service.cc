// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watcher_service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/rpc/status_map.h"
#include "watcher/service/ask.h"
#include "watcher/service/key_paging.h"
#include "watcher/service/local_answers.h"
#include "watcher/service/peers/merge.h"
#include "watcher/service/peers/transfer.h"
#include "watcher/service/watcher_list.h"

namespace xebec::watcher {
namespace {

constexpr PeerMethod<v1::ListKeysRequest, v1::ListKeysResponse> kListKeys{
    "ListKeys", &PeerStub::PrepareAsyncListKeys};
constexpr PeerMethod<v1::GetObservationRequest, v1::GetObservationResponse> kGetObservation{
    "GetObservation", &PeerStub::PrepareAsyncGetObservation};
constexpr PeerMethod<v1::ExplainRequest, v1::ExplainResponse> kExplain{
    "Explain", &PeerStub::PrepareAsyncExplain};
constexpr PeerMethod<v1::ListWatchersRequest, v1::ListWatchersResponse> kListWatchers{
    "ListWatchers", &PeerStub::PrepareAsyncListWatchers};

/// The next holder of the buckets does not wait for a page any longer.
constexpr absl::Duration kLongestTransfer = absl::Seconds(1);

template <typename Response>
void AddUnanswered(const std::vector<PeerAnswer<Response>>& answers, Response* response) {
  for (v1::UnansweredWatcher& each : Unanswered(answers))
    *response->add_unanswered() = std::move(each);
}

v1::ListKeysResponse Merge(const v1::ListKeysRequest& request, size_t limit, KeysOf own,
                           const BucketSet& unassigned,
                           std::vector<PeerAnswer<v1::ListKeysResponse>> answers) {
  AddUnassigned(unassigned, &answers);
  std::vector<KeysOf> parts = {std::move(own)};
  for (auto& each : answers) {
    if (each.answer.ok()) parts.push_back({each.member, *std::move(each.answer)});
  }
  v1::ListKeysResponse merged = MergeKeys(request, limit, parts);
  AddUnanswered(answers, &merged);
  std::sort(merged.mutable_unanswered()->begin(), merged.mutable_unanswered()->end(),
            [](const auto& a, const auto& b) { return a.identity() < b.identity(); });
  return merged;
}

void Identify(const v1::ExplainResponse& response, ParentAnswer* answer) {
  answer->resource = ResourceOf(response.key().ref());
  answer->uid = response.key().uid();
}

void Identify(const v1::GetObservationResponse& response, ParentAnswer* answer) {
  const v1::ParentIdentity& parent = response.observation().envelope().parent();
  answer->resource = ResourceOf(parent.ref());
  answer->uid = parent.uid();
}

/// True if no other watcher can know more about the parent.
template <typename Response>
bool IsComplete(const Here<Response>& here, const MemberView& self) {
  ParentAnswer answer;
  Identify(here.response, &answer);
  return here.one_kind && self.Holds(answer.uid);
}

/// Replies with the answer that counts. `one_kind` as in Here.
template <typename Request, typename Response>
void Choose(const Request& request, bool one_kind, const std::vector<PeerAnswer<Response>>& said,
            const rpc::Reply<Response>& reply) {
  std::vector<ParentAnswer> answers;
  for (const PeerAnswer<Response>& each : said) {
    answers.push_back({each.member, each.answer.status(), "", ""});
    if (each.answer.ok()) Identify(*each.answer, &answers.back());
  }
  const absl::StatusOr<size_t> best =
      ChooseAnswer(AskedText(request.kind(), request.namespace_(), request.name()), answers);
  if (!best.ok()) return reply(rpc::ToGrpc(best.status()), Response());
  Response response = *said[*best].answer;
  response.clear_unanswered();
  if (!one_kind || !said[*best].member.Holds(answers[*best].uid)) AddUnanswered(said, &response);
  reply(grpc::Status::OK, response);
}

/// Replies to a question about one parent, of which this watcher knows `here`.
template <typename Request, typename Response>
void AnswerAbout(const WatcherServiceImpl::Options& options, const Request& request,
                 const PeerMethod<Request, Response>& method, const Here<Response>& here,
                 const rpc::Reply<Response>& reply) {
  const grpc::StatusCode code = here.status.error_code();
  const bool other_may_know =
      code == grpc::StatusCode::NOT_FOUND || code == grpc::StatusCode::FAILED_PRECONDITION;
  if (!(here.status.ok() || other_may_know) || request.this_watcher_only())
    return reply(here.status, here.response);
  const std::optional<MembersView> view = options.members();
  if (!view) return reply(TooSlow(), {});
  const MemberView self = SelfOf(*view);
  if (here.status.ok() && IsComplete(here, self)) return reply(here.status, here.response);
  PeerAnswer<Response> own{self, here.response};
  if (!here.status.ok()) own.answer = rpc::FromGrpc(here.status);
  AskOthers<Request, Response>(
      options.calls, OthersOf(*view), method, request,
      [request, reply, own, one_kind = here.one_kind, unassigned = view->unassigned](auto said) {
        said.insert(said.begin(), own);
        AddUnassigned(unassigned, &said);
        Choose(request, one_kind, said, reply);
      });
}

}  // namespace

WatcherServiceImpl::WatcherServiceImpl(Options options)
    : options_(std::move(options)),
      desk_{options_.feed, &streams_, options_.calls, options_.members, options_.identity} {}

std::vector<rpc::Method> WatcherServiceImpl::methods() {
  using rpc::LateUnaryMethod;
  using rpc::Reply;
  const auto watch = [this](std::shared_ptr<rpc::ServerStream> stream) {
    return std::make_shared<ActivityStream>(&desk_, std::move(stream));
  };
  return {LateUnaryMethod<v1::ListKeysRequest, v1::ListKeysResponse>(
              "/xebec.v1.WatcherService/ListKeys",
              [this](const auto& request, auto reply) { ListKeys(request, reply); }),
          LateUnaryMethod<v1::GetObservationRequest, v1::GetObservationResponse>(
              "/xebec.v1.WatcherService/GetObservation",
              [this](const auto& request, auto reply) { GetObservation(request, reply); }),
          LateUnaryMethod<v1::ExplainRequest, v1::ExplainResponse>(
              "/xebec.v1.WatcherService/Explain",
              [this](const auto& request, auto reply) { Explain(request, reply); }),
          LateUnaryMethod<v1::ListWatchersRequest, v1::ListWatchersResponse>(
              "/xebec.v1.WatcherService/ListWatchers",
              [this](const auto& request, auto reply) { ListWatchers(request, reply); }),
          LateUnaryMethod<v1::TransferObjectsRequest, v1::TransferObjectsResponse>(
              "/xebec.v1.WatcherService/TransferObjects",
              [this](const auto& request, auto reply) { TransferObjects(request, reply); }),
          {"/xebec.v1.WatcherService/WatchActivity", "server_stream", watch}};
}

void WatcherServiceImpl::EndStreams() {
  streams_.Close();
  streams_.ForEach([](ActivityStream& stream) { stream.Finish(); });
}

void WatcherServiceImpl::TransferObjects(const v1::TransferObjectsRequest& request,
                                         const rpc::Reply<v1::TransferObjectsResponse>& reply) {
  absl::StatusOr<TransferRequest> asked = DecodeTransfer(request);
  if (!asked.ok()) return reply(rpc::ToGrpc(asked.status()), {});
  auto page = Ask<absl::StatusOr<TransferPage>>(
      options_.queue,
      [asked = *std::move(asked)](const Engine& engine, const Instant&) {
        return engine.TransferObjects(asked);
      },
      kLongestTransfer);
  if (!page) return reply(TooSlow(), {});
  if (!page->ok()) return reply(rpc::ToGrpc(page->status()), {});
  reply(grpc::Status::OK, EncodeTransferPage(**page));
}

void WatcherServiceImpl::ListKeys(const v1::ListKeysRequest& request,
                                  const rpc::Reply<v1::ListKeysResponse>& reply) {
  const absl::StatusOr<KeyPaging> paging = ReadPaging(request);
  if (!paging.ok()) return reply(rpc::ToGrpc(paging.status()), {});
  v1::ListKeysResponse here;
  const grpc::Status listed = ListKeysHere(options_.queue, request, *paging, &here);
  if (!listed.ok() || request.this_watcher_only()) return reply(listed, here);
  const std::optional<MembersView> view = options_.members();
  if (!view) return reply(TooSlow(), {});
  const KeysOf own{SelfOf(*view), std::move(here)};
  AskOthers<v1::ListKeysRequest, v1::ListKeysResponse>(
      options_.calls, OthersOf(*view), kListKeys, request,
      [request, reply, own, limit = paging->limit, unassigned = view->unassigned](auto answers) {
        reply(grpc::Status::OK, Merge(request, limit, own, unassigned, std::move(answers)));
      });
}

void WatcherServiceImpl::GetObservation(const v1::GetObservationRequest& request,
                                        const rpc::Reply<v1::GetObservationResponse>& reply) {
  AnswerAbout(options_, request, kGetObservation, ObserveHere(options_.queue, request), reply);
}

void WatcherServiceImpl::Explain(const v1::ExplainRequest& request,
                                 const rpc::Reply<v1::ExplainResponse>& reply) {
  AnswerAbout(options_, request, kExplain, ExplainHere(options_.queue, request), reply);
}

void WatcherServiceImpl::ListWatchers(const v1::ListWatchersRequest& request,
                                      const rpc::Reply<v1::ListWatchersResponse>& reply) {
  const std::optional<MembersView> view = options_.members();
  if (!view) return reply(TooSlow(), {});
  v1::ListWatchersResponse list = DescribeMembers(*view, request.this_watcher_only());
  for (v1::WatcherSummary& row : *list.mutable_watchers()) {
    if (!row.answering()) continue;
    const grpc::Status measured = MeasureHere(options_.queue, &row);
    if (!measured.ok()) return reply(measured, {});
  }
  if (request.this_watcher_only()) return reply(grpc::Status::OK, list);
  AskOthers<v1::ListWatchersRequest, v1::ListWatchersResponse>(
      options_.calls, OthersOf(*view), kListWatchers, request,
      [reply, list = std::move(list)](const auto& answers) {
        v1::ListWatchersResponse complete = list;
        AddAnswers(answers, &complete);
        reply(grpc::Status::OK, complete);
      });
}

}  // namespace xebec::watcher
