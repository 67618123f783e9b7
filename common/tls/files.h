// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/tls/certificate.h"

namespace xebec::tls {

/// The PEM files of a process's identity, as in a mounted Secret of type kubernetes.io/tls. They
/// may be replaced at any time; the kubelet replaces all files of a mounted Secret at once.
struct Files {
  std::string certificate;  ///< tls.crt: the process's certificate, then intermediate ones.
  std::string key;          ///< tls.key
  std::string ca;           ///< ca.crt: the CA certificates that sign peers' certificates.

  /// False if no file is named: plaintext.
  bool Any() const { return !certificate.empty() || !key.empty() || !ca.empty(); }
};

/// Returns OK if all three files are named. INVALID_ARGUMENT names the missing file.
absl::Status Named(const Files& files);

/// The contents of the files.
struct Material {
  std::string certificate, key, ca;

  bool operator==(const Material&) const = default;
};

/// Reads the files. INVALID_ARGUMENT or NOT_FOUND names the file that cannot be read.
absl::StatusOr<Material> Read(const Files& files);

/// Checks that certificate, key and CA belong together and are valid at `now`, and returns the
/// certificate. `files` provides the names for error messages. Errors are those of Check below.
absl::StatusOr<Certificate> Check(const Files& files, const Material& material, absl::Time now);

/// Reads the files and checks them like the function above. INVALID_ARGUMENT, NOT_FOUND or
/// FAILED_PRECONDITION says which file is wrong, why, and what to do.
absl::StatusOr<Certificate> Check(const Files& files, absl::Time now);

}  // namespace xebec::tls
