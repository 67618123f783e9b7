// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/tls/certificate.h"

namespace xebec::tls {

/// Where a process keeps its identity: PEM files, as a Secret of type kubernetes.io/tls is mounted.
/// They may be replaced at any time; all are then taken from one moment (a mounted Secret is
/// switched as a whole).
struct Files {
  std::string certificate;  ///< tls.crt: its own certificate, then intermediate ones.
  std::string key;          ///< tls.key
  std::string ca;           ///< ca.crt: who vouches for the other side.

  /// False: plaintext.
  bool Any() const { return !certificate.empty() || !key.empty() || !ca.empty(); }
};

/// INVALID_ARGUMENT that tells which one of the three files has no name.
absl::Status Named(const Files& files);

/// What stands in the files.
struct Material {
  std::string certificate, key, ca;

  bool operator==(const Material&) const = default;
};

/// Reads the files. INVALID_ARGUMENT, NOT_FOUND: says which one cannot be read.
absl::StatusOr<Material> Read(const Files& files);

/// What the certificate says, when the three fit together at `now`; `files`: what they are called.
/// Errors as those of Check below.
absl::StatusOr<Certificate> Check(const Files& files, const Material& material, absl::Time now);

/// What the certificate says, when all three files can be read and fit together at `now`.
/// INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION otherwise: says which file, what is wrong, what
/// to do. Reads the files; nothing is kept.
absl::StatusOr<Certificate> Check(const Files& files, absl::Time now);

}  // namespace xebec::tls
