// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/peer_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/base/thread.h"

namespace xebec::rpc {

PeerStream::PeerStream(StreamDispatcher* dispatcher, Address address, uint32_t seed,
                       std::atomic<StreamId>* ids)
    : dispatcher_(dispatcher), address_(std::move(address)), ids_(ids), random_(seed) {
  thread_ = std::thread([this] { Run(); });
}

PeerStream::~PeerStream() { thread_.join(); }

void PeerStream::Retire() {
  MutexLock lock(&mu_);
  ending_ = true;
  if (session_ != nullptr) session_->Drain();
  wake_.NotifyAll();
}

void PeerStream::Abort(const std::string& why) {
  MutexLock lock(&mu_);
  ending_ = true;
  if (session_ != nullptr) session_->Cancel(why);
  wake_.NotifyAll();
}

absl::Duration PeerStream::Check(absl::Duration now) {
  std::shared_ptr<StreamSession> session;
  {
    MutexLock lock(&mu_);
    session = session_;
  }
  return session == nullptr ? absl::InfiniteDuration() : session->Check(now);
}

void PeerStream::Run() {
  NameThisThread(absl::StrCat(dispatcher_->options().name, "-stream"));
  while (std::shared_ptr<StreamSession> session = NextSession()) {
    const absl::Status status = session->Run();
    {
      MutexLock lock(&mu_);
      session_ = nullptr;
    }
    Note(status);
    if (!Pause(NextPause(*session))) break;
  }
  finished_ = true;
  dispatcher_->Wake();
}

std::shared_ptr<StreamSession> PeerStream::NextSession() {
  const absl::Duration age = dispatcher_->options().max_age * Jitter(0.9, 1.1);
  MutexLock lock(&mu_);
  if (ending_) return nullptr;
  session_ = std::make_shared<StreamSession>(dispatcher_, ++*ids_, address_, age);
  return session_;
}

void PeerStream::Note(const absl::Status& status) {
  const std::string error(ToStd(status.message()));
  const bool again = !status.ok() && error == last_error_;
  last_error_ = error;
  bool ending = false;
  {
    MutexLock lock(&mu_);
    ending = ending_;
  }
  if (again || !dispatcher_->options().on_note) return;
  dispatcher_->options().on_note({!status.ok() && !ending, "Stream down", address_.uri, error});
}

absl::Duration PeerStream::NextPause(const StreamSession& session) {
  const StreamOptions& options = dispatcher_->options();
  const auto up_since = session.up_since();
  const absl::Duration up = up_since ? ReadClock().monotonic - *up_since : absl::ZeroDuration();
  failures_ = up >= options.backoff_max ? 0 : std::min(failures_ + 1, 30);
  if (failures_ == 0) return absl::ZeroDuration();
  const absl::Duration pause = options.backoff_min * static_cast<double>(1u << (failures_ - 1));
  return std::min(pause, options.backoff_max) * Jitter(0.75, 1.25);
}

bool PeerStream::Pause(absl::Duration duration) {
  const absl::Duration until = ReadClock().monotonic + duration;
  MutexLock lock(&mu_);
  while (!ending_) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return true;
    wake_.WaitFor(&mu_, left);
  }
  return false;
}

double PeerStream::Jitter(double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random_);
}

}  // namespace xebec::rpc
