// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/declarations/failing_example.h"
#include "watcher/engine/declarations/hook_pace.h"

namespace xebec::watcher {

/// What the reconciles of each controller have shown about its hook: the pace of the calls, and a
/// parent that fails. A controller that was not mentioned before has a healthy hook. A value.
class HookHealth {
 public:
  /// Records the answer to a call that began at `begun`.
  void OnReply(ControllerId controller, const HookReply& reply, absl::Duration begun,
               absl::Duration now);
  /// The gateway has connected to the hook again; see HookPace::OnAvailable.
  void OnAvailable(ControllerId controller, absl::Duration now);
  /// The last reconcile of a parent failed; `failure` names the parent and the failure.
  void OnFailure(ControllerId controller, KeyId key, std::string failure);
  /// The last reconcile of a parent succeeded, or the parent is gone.
  void OnSuccess(ControllerId controller, KeyId key);
  /// The controller is gone. Another one gets its id.
  void Free(ControllerId controller);

  const HookPace& pace(ControllerId controller) const { return At(controller).pace; }
  /// When the time alone may change what a pace allows; InfiniteDuration for never.
  absl::Duration NextChange(absl::Duration now) const;
  /// Returns the failure to show on the declaration, for users; empty if there is none. `called` is
  /// false if the declaration is being deleted: the hook is not called, so a pause does not matter.
  std::string FailureOf(ControllerId controller, bool called = true) const;

  bool operator==(const HookHealth&) const = default;

 private:
  struct Hook {
    HookPace pace;
    FailingExample failing;
    bool operator==(const Hook&) const = default;
  };
  const Hook& At(ControllerId controller) const;
  Hook& Of(ControllerId controller);

  std::vector<Hook> hooks_;  // by ControllerId
};

}  // namespace xebec::watcher
