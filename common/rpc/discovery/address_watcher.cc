// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/discovery/address_watcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/base/thread.h"

namespace xebec::rpc {

AddressWatcher::AddressWatcher(Options options) : options_(std::move(options)) {
  thread_ = std::thread([this] { Run(); });
}

AddressWatcher::~AddressWatcher() {
  {
    MutexLock lock(&mu_);
    ending_ = true;
    wake_.NotifyAll();
  }
  thread_.join();
}

void AddressWatcher::Run() {
  NameThisThread(options_.thread_name);
  const bool literal = std::all_of(options_.targets.begin(), options_.targets.end(), IsLiteral);
  std::optional<std::vector<Address>> told;
  do {
    const bool complete = LookUpAll();
    std::vector<Address> merged = Merged();
    if (told != merged) {
      options_.on_addresses(merged);
      told = std::move(merged);
    }
    if (literal && complete) return;
  } while (Pause());
}

bool AddressWatcher::LookUpAll() {
  bool complete = true;
  for (size_t i = 0; i < options_.targets.size(); ++i) {
    absl::StatusOr<std::vector<Address>> addresses = options_.resolve(options_.targets[i]);
    if (addresses.ok()) {
      found_[i] = *std::move(addresses);
      errors_.erase(i);
    } else {
      complete = false;
      ReportError(i, std::string(ToStd(addresses.status().message())));
    }
  }
  return complete;
}

void AddressWatcher::ReportError(size_t target, const std::string& message) {
  if (errors_[target] == message) return;
  errors_[target] = message;
  if (options_.on_error) options_.on_error(message);
}

std::vector<Address> AddressWatcher::Merged() const {
  std::vector<Address> all;
  for (const auto& [target, addresses] : found_) {
    all.insert(all.end(), addresses.begin(), addresses.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > kMaxAddresses) all.resize(kMaxAddresses);
  return all;
}

bool AddressWatcher::Pause() {
  const absl::Duration until = ReadClock().monotonic + options_.interval;
  MutexLock lock(&mu_);
  while (!ending_) {
    const absl::Duration left = until - ReadClock().monotonic;
    if (left <= absl::ZeroDuration()) return true;
    wake_.WaitFor(&mu_, left);
  }
  return false;
}

}  // namespace xebec::rpc
