// SPDX-License-Identifier: Apache-2.0
#include "common/tls/vetted_files.h"

#include <utility>

namespace xebec::tls {

VettedFiles::VettedFiles(Files files) : files_(std::move(files)) {}

absl::StatusOr<Certificate> VettedFiles::Look(absl::Time now) {
  absl::StatusOr<Material> material = Read(files_);
  if (!material.ok()) return material.status();
  absl::StatusOr<Certificate> certificate = Check(files_, *material, now);
  if (!certificate.ok()) return certificate;
  if (*material == published_) return certificate;
  if (absl::Status status = Publish(*material); !status.ok()) return status;
  published_ = *std::move(material);
  return certificate;
}

absl::Status VettedFiles::Publish(const Material& material) {
  absl::Status status = certificate_.Write(material.certificate);
  if (status.ok()) status = key_.Write(material.key);
  if (status.ok()) status = authority_.Write(material.authority);
  return status;
}

}  // namespace xebec::tls
