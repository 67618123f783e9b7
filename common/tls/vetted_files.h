// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/tls/certificate.h"
#include "common/tls/files.h"
#include "common/tls/memory_file.h"

namespace xebec::tls {

/// The newest files that were good together, for readers that would stumble over bad ones: gRPC
/// drops what it had for files that do not fit, and ends the process for empty ones. Not
/// thread-safe; readers of the paths may be anywhere.
class VettedFiles {
 public:
  /// `files`: the originals, which may be replaced at any time.
  explicit VettedFiles(Files files);

  /// Reads the originals; when they are good and new, they are what can be read from now on.
  /// Returns the certificate, or what Check says of them.
  absl::StatusOr<Certificate> Look(absl::Time now);

  /// Where they can be read. Until the first good Look nothing can be opened there.
  Files paths() const { return {certificate_.path(), key_.path(), authority_.path()}; }

 private:
  absl::Status Publish(const Material& material);

  const Files files_;
  Material published_;
  MemoryFile certificate_, key_, authority_;
};

}  // namespace xebec::tls
