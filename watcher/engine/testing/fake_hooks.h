// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/model/hook.h"

namespace xebec::watcher::testing {

/// Programs of users at some addresses: each may be replaced by a new revision, be down, or be
/// moody, which means that its answers to equal requests differ.
class FakeHooks {
 public:
  static constexpr size_t kAddresses = 3;
  static std::string Address(size_t i) { return absl::StrCat("hook-", i, ":1"); }

  void Replace(const std::string& address) { ++programs_[address].revision; }
  void Toggle(const std::string& address) { programs_[address].down ^= true; }
  void SetMoody(const std::string& address, bool moody) { programs_[address].moody = moody; }
  void Heal() {
    for (auto& [address, program] : programs_) program.down = false;
  }

  HookState StateOf(const HookEndpoint& endpoint) const {
    const Program program = At(endpoint);
    if (program.down) return {false, "", "connection refused"};
    return {true, absl::StrCat("r", program.revision), ""};
  }
  bool Moody(const HookEndpoint& endpoint) const { return At(endpoint).moody; }
  bool Down(const HookEndpoint& endpoint) const { return At(endpoint).down; }
  /// The name of what runs there: the address and the revision.
  std::string ProgramAt(const HookEndpoint& endpoint) const {
    return absl::StrCat(std::get<std::string>(endpoint.target), " r", At(endpoint).revision);
  }

 private:
  struct Program {
    int revision = 1;
    bool down = false;
    bool moody = false;
  };

  Program At(const HookEndpoint& endpoint) const {
    const auto found = programs_.find(std::get<std::string>(endpoint.target));
    return found == programs_.end() ? Program() : found->second;
  }

  std::map<std::string, Program> programs_;  // by address
};

}  // namespace xebec::watcher::testing
