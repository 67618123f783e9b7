// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/thread.h"

namespace xebec::rpc {
namespace {

constexpr char kStopping[] = "the streams are being closed";

}  // namespace

absl::StatusOr<std::unique_ptr<StreamPool>> StreamPool::Start(
    const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol) {
  absl::StatusOr<std::vector<Target>> targets = ParseTargets(options.target);
  if (!targets.ok()) return targets.status();
  return std::unique_ptr<StreamPool>(
      new StreamPool(options, std::move(protocol), *std::move(targets)));
}

StreamPool::StreamPool(const StreamOptions& options, std::unique_ptr<StreamProtocol> protocol,
                       std::vector<Target> targets)
    : dispatcher_(options, std::move(protocol)) {
  clock_ = std::thread([this] { ClockLoop(); });
  AddressWatcher::Options watch;
  watch.targets = std::move(targets);
  watch.resolve = options.resolve;
  watch.interval = options.resolve_interval;
  watch.thread_name = absl::StrCat(options.name, "-dns");
  watch.on_addresses = [this](const std::vector<Address>& addresses) { Reconcile(addresses); };
  watch.on_error = [this](const std::string& message) {
    const StreamOptions& all = dispatcher_.options();
    if (all.on_note) all.on_note({true, "Could not resolve", all.target, message});
  };
  addresses_ = std::make_unique<AddressWatcher>(std::move(watch));
}

StreamPool::~StreamPool() { Stop(absl::ZeroDuration()); }

void StreamPool::Stop(absl::Duration timeout) {
  if (!clock_.joinable()) return;
  dispatcher_.Close(kStopping);
  dispatcher_.AwaitIdle(timeout);
  addresses_.reset();
  EndStreams();
  ending_ = true;
  dispatcher_.Wake();
  clock_.join();
  dispatcher_.Expire();
}

void StreamPool::EndStreams() {
  std::vector<std::shared_ptr<PeerStream>> streams;
  {
    MutexLock lock(&mu_);
    streams.swap(retired_);
    for (auto& [address, stream] : streams_) streams.push_back(std::move(stream));
    streams_.clear();
  }
  for (const auto& stream : streams) stream->Abort(kStopping);
}

void StreamPool::Reconcile(const std::vector<Address>& addresses) {
  MutexLock lock(&mu_);
  const std::set<Address> wanted(addresses.begin(), addresses.end());
  for (auto it = streams_.begin(); it != streams_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    it->second->Retire();
    retired_.push_back(std::move(it->second));
    it = streams_.erase(it);
  }
  for (const Address& address : wanted) {
    for (size_t n = streams_.count(address); n < dispatcher_.options().streams_per_address; ++n) {
      streams_.emplace(address,
                       std::make_shared<PeerStream>(&dispatcher_, address, random_(), &ids_));
    }
  }
  dispatcher_.Wake();
}

void StreamPool::ClockLoop() {
  NameThisThread(absl::StrCat(dispatcher_.options().name, "-clock"));
  while (!ending_) {
    const absl::Duration next = dispatcher_.Expire();
    const absl::Duration now = ReadClock().monotonic;
    const absl::Duration latest = now + dispatcher_.options().heartbeat_idle;
    dispatcher_.AwaitWork(std::min({next, CheckStreams(now), latest}));
  }
}

absl::Duration StreamPool::CheckStreams(absl::Duration now) {
  std::vector<std::shared_ptr<PeerStream>> streams, finished;
  {
    MutexLock lock(&mu_);
    for (const auto& [address, stream] : streams_) streams.push_back(stream);
    const auto done = std::stable_partition(retired_.begin(), retired_.end(),
                                            [](const auto& stream) { return !stream->finished(); });
    finished.assign(done, retired_.end());
    retired_.erase(done, retired_.end());
    streams.insert(streams.end(), retired_.begin(), retired_.end());
  }
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& stream : streams) next = std::min(next, stream->Check(now));
  return next;
}

}  // namespace xebec::rpc
