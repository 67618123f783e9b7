// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/thread.h"

namespace xebec::rpc {
namespace {

constexpr char kStopping[] = "the lanes are being closed";

}  // namespace

absl::StatusOr<std::unique_ptr<LanePool>> LanePool::Start(const LaneOptions& options,
                                                          std::unique_ptr<LaneProtocol> protocol) {
  absl::StatusOr<std::vector<Target>> targets = ParseTargets(options.target);
  if (!targets.ok()) return targets.status();
  return std::unique_ptr<LanePool>(new LanePool(options, std::move(protocol), *std::move(targets)));
}

LanePool::LanePool(const LaneOptions& options, std::unique_ptr<LaneProtocol> protocol,
                   std::vector<Target> targets)
    : hub_(options, std::move(protocol)) {
  clock_ = std::thread([this] { ClockLoop(); });
  AddressWatcher::Options watch;
  watch.targets = std::move(targets);
  watch.resolve = options.resolve;
  watch.interval = options.resolve_interval;
  watch.thread_name = absl::StrCat(options.name, "-dns");
  watch.on_addresses = [this](const std::vector<Address>& addresses) { Reconcile(addresses); };
  watch.on_error = [this](const std::string& message) {
    const LaneOptions& all = hub_.options();
    if (all.on_note) all.on_note({true, "Could not resolve", all.target, message});
  };
  addresses_ = std::make_unique<AddressWatcher>(std::move(watch));
}

LanePool::~LanePool() { Stop(absl::ZeroDuration()); }

void LanePool::Stop(absl::Duration patience) {
  if (!clock_.joinable()) return;
  hub_.Close(kStopping);
  hub_.AwaitIdle(patience);
  addresses_.reset();
  EndLanes();
  ending_ = true;
  hub_.Nudge();
  clock_.join();
  hub_.Expire();
}

void LanePool::EndLanes() {
  std::vector<std::shared_ptr<Lane>> lanes;
  {
    MutexLock lock(&mu_);
    lanes.swap(retired_);
    for (auto& [address, lane] : lanes_) lanes.push_back(std::move(lane));
    lanes_.clear();
  }
  for (const auto& lane : lanes) lane->Abort(kStopping);
}

void LanePool::Reconcile(const std::vector<Address>& addresses) {
  MutexLock lock(&mu_);
  const std::set<Address> wanted(addresses.begin(), addresses.end());
  for (auto it = lanes_.begin(); it != lanes_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    it->second->Retire();
    retired_.push_back(std::move(it->second));
    it = lanes_.erase(it);
  }
  for (const Address& address : wanted) {
    for (size_t n = lanes_.count(address); n < hub_.options().lanes_per_address; ++n) {
      lanes_.emplace(address, std::make_shared<Lane>(&hub_, address, random_(), &ids_));
    }
  }
  hub_.Nudge();
}

void LanePool::ClockLoop() {
  NameThisThread(absl::StrCat(hub_.options().name, "-clock"));
  while (!ending_) {
    const absl::Duration next = hub_.Expire();
    const absl::Duration now = ReadClock().monotonic;
    const absl::Duration latest = now + hub_.options().heartbeat_idle;
    hub_.AwaitWork(std::min({next, CheckLanes(now), latest}));
  }
}

absl::Duration LanePool::CheckLanes(absl::Duration now) {
  std::vector<std::shared_ptr<Lane>> lanes, finished;
  {
    MutexLock lock(&mu_);
    for (const auto& [address, lane] : lanes_) lanes.push_back(lane);
    const auto done = std::stable_partition(retired_.begin(), retired_.end(),
                                            [](const auto& lane) { return !lane->finished(); });
    finished.assign(done, retired_.end());
    retired_.erase(done, retired_.end());
    lanes.insert(lanes.end(), retired_.begin(), retired_.end());
  }
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& lane : lanes) next = std::min(next, lane->Check(now));
  return next;
}

}  // namespace xebec::rpc
