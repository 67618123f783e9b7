// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Annotation of a Database: the uid of the claim in the condition DataLost. It accepts this claim
/// and ends the condition.
inline constexpr std::string_view kAcceptDataAnnotation = "xebec.dev/accept-data";

/// Records the location of the data in status.data {mountPath, database, claimUID}.
///
/// - mountPath and database are recorded when the Database is first planned. They must not change:
///   the image would start with an empty directory, or clients would use a database that does not
///   exist.
/// - claimUID is the uid of the claim of ordinal 0 once the Database is initialized. A claim that
///   replaces it is empty: the condition DataLost is set until a user accepts the claim.
class DataRecord {
 public:
  /// `set` is the live StatefulSet, or null. If the status has no record, the live objects are
  /// used.
  DataRecord(const View& view, const Child* set);

  /// Returns why the spec is invalid; nullopt if it is valid.
  std::optional<std::string> Refusal(const DatabaseSpec& spec) const;
  /// Adds status.data and the condition DataLost. Returns true if the data are lost.
  bool Report(const View& view, const DatabaseSpec& spec, bool initialized, DesiredState* state);

 private:
  void CompareClaim(const View& view, bool initialized);

  std::string mount_path_, database_, claim_uid_;
  const Child* claim_ = nullptr;  // of ordinal 0
};

}  // namespace xebec::planner
