// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "common/model/observation.h"

namespace xebec::cli {

/// The text of a file that ReadObservations reads as the recorded observations. Objects are
/// readable, except in an observation that would then not be read as it was recorded: a number of
/// more than 53 bits, for example.
class Recording {
 public:
  void Add(const Observation& observation);
  /// Writes the observations to the file and replaces its content. Returns an error if the file
  /// cannot be written.
  absl::Status Write(const std::string& file) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace xebec::cli
