// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/peer_calls.h"

#include <algorithm>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/thread.h"

namespace xebec::watcher {
namespace {

/// A thread that waited in gRPC would take part in polling the sockets of the process, and the
/// streams to planners and appliers would pay for that. So this one looks for events at intervals.
constexpr absl::Duration kShortestPause = absl::Milliseconds(5);
constexpr absl::Duration kLongestPause = absl::Milliseconds(80);
/// How long unused connections stay open.
constexpr absl::Duration kIdle = absl::Seconds(10);

}  // namespace

PeerCalls::PeerCalls(Options options)
    : options_(std::move(options)), channels_(options_.files), thread_([this] {
        NameThisThread("peers");
        Run();
      }) {}

PeerCalls::~PeerCalls() {
  Stop();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

absl::Status PeerCalls::Stopping() { return absl::UnavailableError("this watcher stops"); }

absl::StatusOr<PeerLine> PeerCalls::LineTo(const std::string& address) {
  XEBEC_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, channels_.To(address));
  return PeerLine{std::move(channel), &queue_, &options_.observer};
}

absl::Status PeerCalls::Failed(const std::string& address, const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) channels_.Drop(address);
  return channels_.Explain(status);
}

std::shared_ptr<PeerCall> PeerCalls::Follow(const std::string& address,
                                            ActivityCallbacks callbacks) {
  const auto on_end = [this, address, tell = callbacks.on_end](const absl::Status& status) {
    tell(status.ok() ? status : Failed(address, status));
  };
  absl::StatusOr<PeerLine> line = LineTo(address);
  if (!line.ok()) {
    callbacks.on_end(line.status());
    return nullptr;
  }
  v1::WatchActivityRequest request;
  request.set_this_watcher_only(true);
  auto call = std::make_shared<PeerActivityCall>(*line, request,
                                                 ActivityCallbacks{callbacks.on_activity, on_end});
  if (Start(call)) return call;
  callbacks.on_end(Stopping());
  return nullptr;
}

bool PeerCalls::Start(std::shared_ptr<PeerCall> call) {
  MutexLock lock(&mu_);
  if (stopped_) return false;
  PeerCall* const tag = call.get();
  open_.emplace(tag, std::move(call));
  tag->Start();
  started_ = true;
  changed_.NotifyAll();
  return true;
}

void PeerCalls::Later(absl::Duration delay, Task task) {
  MutexLock lock(&mu_);
  if (stopped_) return;
  timers_.Add(ReadClock().monotonic + delay, std::move(task));
  changed_.NotifyAll();
}

void PeerCalls::Stop() {
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    timers_ = Timers();
    for (const auto& [tag, call] : open_) call->Cancel();
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void PeerCalls::Run() {
  absl::Duration pause = kShortestPause;
  while (Wait(pause)) {
    std::vector<Task> due;
    {
      MutexLock lock(&mu_);
      due = timers_.TakeDue(ReadClock().monotonic);
      if (std::exchange(started_, false)) pause = kShortestPause;
    }
    for (const Task& task : due) task();
    bool any = false;
    while (TakeEvent()) any = true;
    pause = any ? kShortestPause : std::min(pause * 2, kLongestPause);
  }
}

bool PeerCalls::TakeEvent() {
  void* tag = nullptr;
  bool ok = false;
  const auto next = queue_.AsyncNext(&tag, &ok, gpr_time_0(GPR_CLOCK_MONOTONIC));
  if (next != grpc::CompletionQueue::GOT_EVENT) return false;
  auto* const call = static_cast<PeerCall*>(tag);
  if (call->OnEvent(ok)) return true;
  MutexLock lock(&mu_);
  open_.erase(call);
  return true;
}

bool PeerCalls::Wait(absl::Duration pause) {
  MutexLock lock(&mu_);
  bool idle = false;
  while (true) {
    const absl::Duration now = ReadClock().monotonic;
    const absl::Duration due = timers_.Next() - now;
    if (!open_.empty()) {
      if (!started_ && due > absl::ZeroDuration()) changed_.WaitFor(&mu_, std::min(pause, due));
      return true;
    }
    if (stopped_) return false;
    if (due <= absl::ZeroDuration()) return true;
    const bool last = changed_.WaitFor(&mu_, idle ? due : std::min(due, kIdle));
    if (last && open_.empty() && !idle) {
      idle = true;
      channels_.Clear();
    }
  }
}

}  // namespace xebec::watcher
