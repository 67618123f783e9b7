// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_loop.h"

#include <algorithm>
#include <limits>

#include "common/base/clock.h"
#include "common/base/thread.h"
#include "common/rpc/timespan.h"

namespace xebec::rpc {
namespace {

constexpr int64_t kAwake = std::numeric_limits<int64_t>::min();

}  // namespace

void StreamLoop::Alarm::Set(grpc::CompletionQueue* queue) {
  if (!pending_.exchange(true)) alarm_.Set(queue, gpr_inf_past(GPR_CLOCK_MONOTONIC), this);
}

StreamLoop::StreamLoop() : sleeps_until_ns_(kAwake) {
  thread_ = std::thread([this] { Run(); });
}

StreamLoop::~StreamLoop() {
  ending_ = true;
  alarm_.Set(&queue_);
  thread_.join();
  Drain();  // not before: an alarm must not be set on a queue that was shut down
}

void StreamLoop::Add(Client* client) {
  {
    MutexLock lock(&mu_);
    clients_.push_back(client);
  }
  WakeBefore(-absl::InfiniteDuration());
}

void StreamLoop::Remove(Client* client) {
  MutexLock lock(&mu_);
  std::erase(clients_, client);
  const uint64_t turn = turns_;
  while (!sleeping_ && turns_ == turn) turned_.Wait(&mu_);
}

void StreamLoop::WakeBefore(absl::Duration due) {
  if (absl::ToInt64Nanoseconds(due) < sleeps_until_ns_) alarm_.Set(&queue_);
}

void StreamLoop::PassOn(Completion* completion, bool ok) {
  if (completion == &alarm_) {
    alarm_.Done(ok);
  } else {
    MutexLock lock(&mu_);
    taken_.push_back({completion, ok});
  }
  alarm_.Set(&queue_);
}

void StreamLoop::Run() {
  NameThisThread("streams");
  while (!ending_) {
    TickDue();
    RunTaken();
    AwaitEvent();
  }
}

void StreamLoop::TickDue() {
  std::vector<Client*> due;
  {
    MutexLock lock(&mu_);
    const absl::Duration now = ReadClock().monotonic;
    for (Client* client : clients_) {
      if (client->Due() <= now) due.push_back(client);
    }
  }
  for (Client* client : due) client->Tick();
}

void StreamLoop::RunTaken() {
  std::vector<Event> taken;
  {
    MutexLock lock(&mu_);
    taken.swap(taken_);
  }
  for (const Event& event : taken) event.completion->Done(event.ok);
}

void StreamLoop::AwaitEvent() {
  {
    MutexLock lock(&mu_);
    ++turns_;
    sleeping_ = true;
    turned_.NotifyAll();
  }
  absl::Duration due = NextDue();
  sleeps_until_ns_ = absl::ToInt64Nanoseconds(due);
  due = std::min(due, NextDue());  // what has changed before a thread could see the line above
  const absl::Duration left = std::max(due - ReadClock().monotonic, absl::ZeroDuration());
  void* tag = nullptr;
  bool ok = false;
  const bool got = queue_.AsyncNext(&tag, &ok, Timespan(left)) == grpc::CompletionQueue::GOT_EVENT;
  sleeps_until_ns_ = kAwake;
  {
    MutexLock lock(&mu_);
    sleeping_ = false;
  }
  if (got) static_cast<Completion*>(tag)->Done(ok);
}

absl::Duration StreamLoop::NextDue() {
  MutexLock lock(&mu_);
  absl::Duration next = absl::InfiniteDuration();
  for (Client* client : clients_) next = std::min(next, client->Due());
  return next;
}

void StreamLoop::Drain() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

}  // namespace xebec::rpc
