// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "cli/text/answers.h"

namespace xebec::cli {

/// Prints the pages of a listing as they arrive: one table, or one JSON document with the member
/// "keys".
class KeyListing {
 public:
  /// `out` outlives the listing.
  KeyListing(bool json, std::ostream* out) : json_(json), out_(*out) {}

  /// Prints a page. `now` is the time of the client.
  void Add(const v1::ListKeysResponse& page, absl::Time now);
  /// Ends the output after the last page.
  void End();

 private:
  void AddJson(const v1::ListKeysResponse& page);

  const bool json_;
  std::ostream& out_;
  KeysTable table_;
  bool begun_ = false;
};

}  // namespace xebec::cli
