// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "cli/text/table.h"
#include "xebec/v1/watcher.pb.h"

/// The answers of a watcher as text. Times are shown relative to `now`, the time of the client.
namespace xebec::cli {

/// A table with one line for each parent, printed page by page. The first parent with several
/// controllers adds a column, with a heading of its own.
class KeysTable {
 public:
  /// The lines of the next page, after the heading if they are the first lines.
  std::string Add(const v1::ListKeysResponse& page, absl::Time now);
  /// Returns the text after the last page: a sentence if there is no parent.
  std::string End() const;

 private:
  void Begin(bool controllers);

  Table table_;
  bool begun_ = false;
  bool controllers_ = false;  ///< The table has the column.
};

/// The state of the parent, its explanation, what the parent waits for, and the outcomes of its
/// last operations.
std::string ExplanationText(const v1::ExplainResponse& answer, absl::Time now);

/// One line, with the time of day in UTC as in the logs.
std::string ActivityText(const v1::WatchActivityResponse& activity);

}  // namespace xebec::cli
