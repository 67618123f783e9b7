// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_session.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/base/thread.h"
#include "common/rpc/channel.h"
#include "common/rpc/context.h"
#include "common/rpc/tls_credentials.h"

namespace xebec::rpc {
namespace {

ChannelOptions ChannelFor(const LaneOptions& options) {
  ChannelOptions out;
  out.credentials = options.credentials;
  out.max_message_bytes = static_cast<int>(options.max_message_bytes);
  out.connect_timeout = options.peer_timeout;
  out.backoff_min = options.backoff_min;
  out.backoff_max = options.backoff_max;
  out.observer = options.observer;
  return out;
}

}  // namespace

LaneSession::LaneSession(LaneHub* hub, LaneId id, const Address& address, absl::Duration max_age)
    : hub_(hub),
      id_(id),
      address_(address),
      greeting_(MakeCallContext(hub->options().peer_timeout, "")),
      streaming_(MakeStreamContext(hub->options().name)),
      unanswered_since_(ReadClock().monotonic),
      drain_at_(ReadClock().monotonic + max_age) {
  hub_->Enlist(id_);
  hub_->Nudge();
}

absl::Status LaneSession::Run() {
  const std::shared_ptr<grpc::Channel> channel = MakeChannel(address_, ChannelFor(hub_->options()));
  absl::Status status = Reason(Carry(channel));
  hub_->Discharge(id_, status.ok() ? "the connection was closed"
                                   : absl::StrCat("connection lost: ", status.message()));
  return status;
}

absl::Status LaneSession::Carry(const std::shared_ptr<grpc::Channel>& channel) {
  const absl::StatusOr<std::string> revision =
      hub_->protocol()->Greet(channel, greeting_.get(), address_);
  if (!revision.ok()) return revision.status();
  Answered();
  const std::unique_ptr<LaneStream> stream = hub_->protocol()->Open(channel, streaming_.get());
  std::thread writer([this, &stream] { WriteLoop(stream.get()); });
  while (std::optional<Answer> answer = stream->Read()) {
    Heard(*revision);
    hub_->Take(id_, *std::move(answer));
  }
  hub_->StopWriter(id_);
  writer.join();
  return stream->Finish();
}

void LaneSession::WriteLoop(LaneStream* stream) {
  NameThisThread(absl::StrCat(hub_->options().name, "-w", id_));
  absl::Duration heartbeat = -absl::InfiniteDuration();
  while (true) {
    const WriterTask task = hub_->NextTask(id_, heartbeat);
    if (std::holds_alternative<StopWriting>(task)) return;
    if (std::holds_alternative<EndWrites>(task)) return stream->WritesDone();
    Spoke();
    if (const Parcel* parcel = std::get_if<Parcel>(&task)) {
      if (!WriteParcel(stream, *parcel)) return;
      continue;
    }
    heartbeat = ReadClock().monotonic;
    if (!stream->WriteHeartbeat()) return;
  }
}

bool LaneSession::WriteParcel(LaneStream* stream, const Parcel& parcel) {
  std::string why;
  const WriteResult result = stream->Write(parcel, &why);
  if (result == WriteResult::kTooLarge) hub_->RefuseTooLarge(id_, parcel.sequence, why);
  return result != WriteResult::kBroken;
}

void LaneSession::Heard(const std::string& revision) {
  {
    MutexLock lock(&mu_);
    unanswered_since_ = absl::InfiniteDuration();
    if (up_since_.has_value()) return;
    up_since_ = ReadClock().monotonic;
  }
  hub_->Open(id_, revision);
  if (hub_->options().on_note) hub_->options().on_note({false, "Lane up", address_.uri, revision});
}

void LaneSession::Answered() {
  MutexLock lock(&mu_);
  unanswered_since_ = ReadClock().monotonic;
}

void LaneSession::Spoke() {
  MutexLock lock(&mu_);
  unanswered_since_ = std::min(unanswered_since_, ReadClock().monotonic);
}

void LaneSession::Drain() {
  {
    MutexLock lock(&mu_);
    if (give_up_at_ != absl::InfiniteDuration()) return;
    drain_at_ = absl::InfiniteDuration();
    give_up_at_ = ReadClock().monotonic + hub_->options().drain_timeout;
  }
  hub_->Drain(id_);
}

void LaneSession::Cancel(const std::string& why) {
  MutexLock lock(&mu_);
  if (!cancelled_.empty()) return;
  cancelled_ = why;
  greeting_->TryCancel();
  streaming_->TryCancel();
}

absl::Duration LaneSession::Check(absl::Duration now) {
  const absl::Duration patience = hub_->options().peer_timeout;
  absl::Duration drain_at, dead_at, give_up_at;
  {
    MutexLock lock(&mu_);
    drain_at = drain_at_;
    dead_at = unanswered_since_ + patience;
    give_up_at = give_up_at_;
  }
  if (now >= dead_at) {
    Cancel(absl::StrCat("no sign of life for ", absl::FormatDuration(patience)));
  } else if (now >= give_up_at) {
    Cancel("it did not end in time after it was drained");
  } else if (now >= drain_at) {
    Drain();
    give_up_at = now + hub_->options().drain_timeout;
    drain_at = absl::InfiniteDuration();
  } else {
    return std::min({drain_at, dead_at, give_up_at});
  }
  return std::min(give_up_at, now + patience);
}

std::optional<absl::Duration> LaneSession::up_since() const {
  MutexLock lock(&mu_);
  return up_since_;
}

absl::Status LaneSession::Reason(const absl::Status& status) const {
  MutexLock lock(&mu_);
  if (cancelled_.empty()) return ExplainRefusal(status, address_.host);
  return absl::CancelledError(cancelled_);
}

}  // namespace xebec::rpc
