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

/// Copies of the newest valid certificate files, for readers that do not handle invalid files: gRPC
/// drops the previous files if the new ones do not match, and ends the process if they are empty.
/// Not thread-safe, but readers of the paths may be on any thread.
class VettedFiles {
 public:
  /// `files` are the originals, which may be replaced at any time.
  explicit VettedFiles(Files files);

  /// Reads the originals, and publishes them at paths() if they are valid and changed. A
  /// certificate that is not valid yet is not published while an earlier one exists. Returns the
  /// certificate, or the error of Check.
  absl::StatusOr<Certificate> Reload(absl::Time now);

  /// The paths of the copies. Certificate and key are one file, so that they change together. The
  /// files cannot be opened before the first successful Reload.
  Files paths() const { return {identity_.path(), identity_.path(), ca_.path()}; }

  /// The expiry of the certificate at paths(). Before the first successful Reload, the expiry of
  /// the last certificate that was read, valid or not; nullopt if there was none.
  std::optional<absl::Time> not_after() const { return not_after_; }

  /// The expiry of the CA that signed that certificate.
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
