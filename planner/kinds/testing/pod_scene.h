// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/planning.h"

namespace xebec::testing {

/// A scene with Pods in it: they get a creation time and the phase Pending, as from the API server,
/// and a change of what a Pod cannot change is noted.
class PodScene : public Scene {
 public:
  /// `spec` is JSON and becomes the parent's; `group` and `kind` name a built-in kind.
  PodScene(std::string_view group, std::string_view kind, const std::string& name,
           std::string_view spec);
  PodScene(const PodScene&) = delete;

  /// As kubectl patch --type=merge on the spec.
  void EditSpec(std::string_view patch);
  std::vector<std::string> Pods() const;  ///< Names, sorted.
  Json Pod(const std::string& name) const;
  Json Status() const;  ///< The parent's.
  void SetPod(const std::string& name, std::string_view phase, bool ready = false);
  /// All Pods that are not terminating run and are ready.
  void MakeAllReady();
  /// Puts a Pod there that the parent controls and that runs, as an original operator made it.
  void Adopt(const std::string& name, Json spec);
  /// Takes a Pod away as another hand would.
  void Kill(const std::string& name);

  std::vector<std::string> violations;  ///< Changes of a Pod that the API server would refuse.

 private:
  void AdmitPod(const ObjectRef& ref, Json& pod);
};

/// Names of the objects that the plan deletes.
std::vector<std::string> Deleted(const Plan& plan);
/// Names of the objects that the plan creates.
std::vector<std::string> Created(const Plan& plan);

}  // namespace xebec::testing
