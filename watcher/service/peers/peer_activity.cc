// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/peer_activity.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "google/protobuf/util/time_util.h"

namespace xebec::watcher {
namespace {

/// How soon the activity of a watcher that joins is included, and a broken call is repeated.
constexpr absl::Duration kInterval = absl::Seconds(2);

v1::WatchActivityResponse Missing(const MemberView& member, const absl::Status& status) {
  v1::WatchActivityResponse notice;
  *notice.mutable_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(ReadClock().wall));
  notice.set_what("Watcher does not answer");
  notice.set_watcher(member.identity);
  *notice.mutable_unanswered() = DescribeUnanswered(
      member, status.ok() ? absl::UnavailableError("it ended the stream") : status);
  notice.set_detail(absl::StrCat(member.identity, ": ", notice.unanswered().error()));
  return notice;
}

}  // namespace

void PeerActivity::Start() { LookLater(absl::ZeroDuration()); }

void PeerActivity::LookLater(absl::Duration delay) {
  calls_->Later(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Look();
  });
}

void PeerActivity::End() {
  MutexLock lock(&mu_);
  ended_ = true;
  for (const auto& [identity, followed] : followed_) {
    if (followed.call != nullptr) followed.call->Cancel();
  }
}

void PeerActivity::Look() {
  const std::optional<MembersView> view = members_();
  if (view) {
    for (const MemberView& member : TakeNew(OthersOf(*view))) Follow(member);
  }
  MutexLock lock(&mu_);
  if (!ended_) LookLater(kInterval);
}

std::vector<MemberView> PeerActivity::TakeNew(const std::vector<MemberView>& others) {
  MutexLock lock(&mu_);
  if (ended_) return {};
  std::map<std::string, Followed> before = std::exchange(followed_, {});
  std::vector<MemberView> fresh;
  for (const MemberView& member : others) {
    Followed& followed = followed_[member.identity] = before[member.identity];
    before.erase(member.identity);
    if (!std::exchange(followed.running, true)) fresh.push_back(member);
  }
  for (auto& [identity, followed] : before) {
    if (followed.running) followed_[identity] = std::move(followed);
  }
  return fresh;
}

void PeerActivity::Follow(const MemberView& member) {
  if (member.address.empty()) return OnEnd(member, NoAddress());
  const auto call = calls_->Follow(
      member.address, {.on_activity =
                           [weak = weak_from_this(), member](v1::WatchActivityResponse activity) {
                             if (const auto self = weak.lock())
                               self->OnActivity(member, std::move(activity));
                           },
                       .on_end =
                           [weak = weak_from_this(), member](const absl::Status& status) {
                             if (const auto self = weak.lock()) self->OnEnd(member, status);
                           }});
  MutexLock lock(&mu_);
  followed_[member.identity].call = call;
  if (ended_ && call != nullptr) call->Cancel();
}

void PeerActivity::OnActivity(const MemberView& member, v1::WatchActivityResponse activity) {
  {
    MutexLock lock(&mu_);
    if (ended_) return;
    followed_[member.identity].told = false;
  }
  activity.set_watcher(member.identity);
  sink_(std::move(activity));
}

void PeerActivity::OnEnd(const MemberView& member, const absl::Status& status) {
  {
    MutexLock lock(&mu_);
    Followed& followed = followed_[member.identity];
    followed.running = false;
    followed.call = nullptr;
    if (ended_ || std::exchange(followed.told, true)) return;
  }
  sink_(Missing(member, status));
}

}  // namespace xebec::watcher
