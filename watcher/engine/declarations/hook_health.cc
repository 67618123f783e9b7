// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/hook_health.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {

const HookHealth::Hook& HookHealth::At(ControllerId controller) const {
  static const Hook healthy;
  return controller < hooks_.size() ? hooks_[controller] : healthy;
}

HookHealth::Hook& HookHealth::Of(ControllerId controller) {
  if (controller >= hooks_.size()) hooks_.resize(controller + 1);
  return hooks_[controller];
}

void HookHealth::OnReply(ControllerId controller, const HookReply& reply, absl::Duration begun,
                         absl::Duration now) {
  HookPace& pace = Of(controller).pace;
  const auto* failure = std::get_if<HookFailure>(&reply.result);
  failure == nullptr ? pace.OnSuccess() : pace.OnFailure(*failure, begun, now);
}

void HookHealth::OnAvailable(ControllerId controller, absl::Duration now) {
  Of(controller).pace.OnAvailable(now);
}

void HookHealth::OnFailure(ControllerId controller, KeyId key, std::string failure) {
  Of(controller).failing.OnFailure(key, std::move(failure));
}

void HookHealth::OnSuccess(ControllerId controller, KeyId key) {
  Of(controller).failing.OnSuccess(key);
}

void HookHealth::Free(ControllerId controller) {
  if (controller < hooks_.size()) hooks_[controller] = Hook();
}

absl::Duration HookHealth::NextChange(absl::Duration now) const {
  absl::Duration next = absl::InfiniteDuration();
  for (const Hook& each : hooks_) next = std::min(next, each.pace.NextChange(now));
  return next;
}

std::string HookHealth::FailureOf(ControllerId controller, bool called) const {
  const Hook& hook = At(controller);
  const std::string& example = hook.failing.text();
  if (!called || !hook.pace.failing()) return example;
  return absl::StrCat("Xebec pauses the calls of the hook because they fail",
                      example.empty() ? "" : "; ", example);
}

}  // namespace xebec::watcher
