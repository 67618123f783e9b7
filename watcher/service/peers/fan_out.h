// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "watcher/engine/leadership/members_view.h"
#include "watcher/service/peers/peer_calls.h"

namespace xebec::watcher {

/// Returns the watchers of the installation now; nullopt if the engine does not answer. Blocks for
/// at most kLongestAnswer. Thread-safe.
using MembersSource = std::function<std::optional<MembersView>()>;

/// Returns this watcher; a member without buckets if the view does not contain it.
MemberView SelfOf(const MembersView& view);
/// Returns the members that can be queried: all except this watcher.
std::vector<MemberView> OthersOf(const MembersView& view);

/// The answer of another watcher.
template <typename Response>
struct PeerAnswer {
  MemberView member;
  absl::StatusOr<Response> answer;
};

/// Returns the watchers that may have parents of which they did not tell: members without buckets
/// hide nothing. NOT_FOUND is an answer. FAILED_PRECONDITION is the answer of a watcher that has
/// not listed all of its parents yet.
template <typename Response>
std::vector<v1::UnansweredWatcher> Unanswered(const std::vector<PeerAnswer<Response>>& answers);

/// Describes a member that did not answer, or not completely.
v1::UnansweredWatcher DescribeUnanswered(const MemberView& member, const absl::Status& error);
/// Describes a member whose answer may lack parents. `why`: UnansweredWatcher.error.
v1::UnansweredWatcher DescribeIncomplete(const MemberView& member, const std::string& why);
/// True if such an answer of the member may lack parents: see Unanswered.
bool MayLackParents(const MemberView& member, const absl::Status& answer);
/// The error of a member without an address.
absl::Status NoAddress();
/// The answer of nobody for the parents of these buckets.
absl::Status Unassigned(const BucketSet& buckets);

/// Adds the answer of nobody for the parents of the buckets without a watcher, if there are any.
template <typename Response>
void AddUnassigned(const BucketSet& unassigned, std::vector<PeerAnswer<Response>>* answers) {
  if (!unassigned.empty()) answers->push_back({{.buckets = unassigned}, Unassigned(unassigned)});
}

/// Asks all `others` at the same time what each one knows itself. `done` gets their answers in the
/// order of `others`, once: on the thread of `calls`, or before AskOthers returns if no call could
/// be made.
template <typename Request, typename Response>
void AskOthers(PeerCalls* calls, const std::vector<MemberView>& others,
               const PeerMethod<Request, Response>& method, Request request,
               std::function<void(std::vector<PeerAnswer<Response>>)> done) {
  struct Round {
    Mutex mu;
    size_t missing ABSL_GUARDED_BY(mu) = 0;
    std::vector<PeerAnswer<Response>> answers ABSL_GUARDED_BY(mu);
    std::function<void(std::vector<PeerAnswer<Response>>)> done;
  };
  if (others.empty()) return done({});
  const auto round = std::make_shared<Round>();
  round->done = std::move(done);
  {
    MutexLock lock(&round->mu);
    round->missing = others.size();
    for (const MemberView& member : others) round->answers.push_back({member, NoAddress()});
  }
  request.set_this_watcher_only(true);
  for (size_t i = 0; i < others.size(); ++i) {
    const auto take = [round, i](absl::StatusOr<Response> answer) {
      std::vector<PeerAnswer<Response>> answers;
      {
        MutexLock lock(&round->mu);
        round->answers[i].answer = std::move(answer);
        if (--round->missing > 0) return;
        answers = std::move(round->answers);
      }
      round->done(std::move(answers));
    };
    if (others[i].address.empty()) {
      take(NoAddress());
    } else {
      calls->Ask<Request, Response>(others[i].address, method, request, take);
    }
  }
}

template <typename Response>
std::vector<v1::UnansweredWatcher> Unanswered(const std::vector<PeerAnswer<Response>>& answers) {
  std::vector<v1::UnansweredWatcher> unanswered;
  for (const PeerAnswer<Response>& each : answers) {
    if (MayLackParents(each.member, each.answer.status())) {
      unanswered.push_back(DescribeUnanswered(each.member, each.answer.status()));
    }
  }
  return unanswered;
}

}  // namespace xebec::watcher
