// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tests/support/planning.h"

namespace xebec::testing {

/// A Database with the controllers that it needs: the test plays StatefulSet and Job.
class DatabaseScene : public Scene {
 public:
  /// `spec` is JSON.
  explicit DatabaseScene(std::string_view spec, const std::string& name = "db");

  /// As kubectl patch --type=merge on the spec.
  void EditSpec(std::string_view patch);
  void Annotate(std::string_view key, const std::string& value);
  Json Status() const;

  Json Set() const;  ///< The StatefulSet.
  /// Acts as the StatefulSet controller: creates claims for all ordinals, and reports `ready` ready
  /// Pods, all from the current template.
  void Roll(int64_t ready);
  void RollAll();  ///< All desired Pods are ready.

  std::string JobName() const;  ///< Of the one Job; empty when there is none.
  Json Job() const;
  /// Sets the Job's condition, "Complete" or "Failed".
  void EndJob(std::string_view condition);
  void RemoveJob();

  Json Claim(int64_t ordinal) const;
  std::string Asked(int64_t ordinal) const;  ///< The size that the claim requests, "50G".
  void RemoveSecret();

  /// Puts a Pod of `controller` there, by default of the StatefulSet, or gives it another status.
  void PutPod(const std::string& name, std::string_view status, Json controller = {});

  /// Everything is up and initialized.
  void BringUp();

 private:
  void MakeClaim(int64_t ordinal);
};

}  // namespace xebec::testing
