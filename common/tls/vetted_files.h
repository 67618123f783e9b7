// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/tls/certificate.h"
#include "common/tls/files.h"
#include "common/tls/memory_file.h"

namespace xebec::tls {

/// The newest files that fitted together, for readers that would stumble over others: gRPC drops
/// what it had for files that do not fit, and ends the process for empty ones. Not thread-safe;
/// readers of the paths may be anywhere.
class VettedFiles {
 public:
  /// `files`: the originals, which may be replaced at any time.
  explicit VettedFiles(Files files);

  /// Reads the originals; when they are good and new, they are what can be read from now on. One
  /// that is not valid yet waits for its time while an earlier one is there. Returns the
  /// certificate, or what Check says of them.
  absl::StatusOr<Certificate> Look(absl::Time now);

  /// Where they can be read: certificate and key are one file, so that they change together. Until
  /// the first good Look nothing can be opened there.
  Files paths() const { return {identity_.path(), identity_.path(), ca_.path()}; }

  /// When the certificate that can be read at paths() ends; before the first good Look, the one
  /// that was last read, good or not. nullopt while there was none.
  std::optional<absl::Time> not_after() const { return not_after_; }

  /// When the CA that signed that certificate expires.
  std::optional<absl::Time> ca_not_after() const { return ca_not_after_; }

 private:
  absl::StatusOr<Certificate> ReadGood(Material* material, absl::Time now);
  absl::Status Publish(const Material& material);

  const Files files_;
  Material published_;
  std::optional<absl::Time> not_after_, ca_not_after_;
  MemoryFile identity_, ca_;
};

}  // namespace xebec::tls
