// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// On a Database: the uid of the claim that condition DataLost names. It accepts this claim and
/// ends the condition.
inline constexpr std::string_view kAcceptDataAnnotation = "xebec.dev/accept-data";

/// Records where the data are, in status.data {mountPath, database, claimUID}.
///
/// - mountPath and database are recorded when the Database is first planned. Neither may change:
///   the image would start with an empty directory, or clients would look for a database that
///   nobody creates.
/// - claimUID is the claim of ordinal 0 once the Database is initialized. Another claim in its
///   place is empty: condition DataLost, until a user accepts the claim.
class DataRecord {
 public:
  /// `set`: the live StatefulSet, or null. Where the status has no record, the live objects count.
  DataRecord(const View& view, const Child* set);

  /// Why the spec is refused; nullopt when it may be planned.
  std::optional<std::string> Refusal(const DatabaseSpec& spec) const;
  /// Adds status.data and the condition DataLost. True when the data are lost.
  bool Report(const View& view, const DatabaseSpec& spec, bool initialized, DesiredState* state);

 private:
  void CompareClaim(const View& view, bool initialized);

  std::string mount_path_, database_, claim_uid_;
  const Child* claim_ = nullptr;  // of ordinal 0
};

}  // namespace xebec::planner
