// SPDX-License-Identifier: Apache-2.0
#include "common/tls/vetted_files.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::tls {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// PEM readers skip blocks of other types (PEM_read_bio(3)).
std::string Identity(const Material& material) {
  return absl::StrCat(material.certificate, "\n", material.key);
}

}  // namespace

VettedFiles::VettedFiles(Files files) : files_(std::move(files)) {}

absl::StatusOr<Certificate> VettedFiles::ReadGood(Material* material, absl::Time now) {
  absl::StatusOr<Material> read = Read(files_);
  if (!read.ok()) return read.status();
  *material = *std::move(read);
  const absl::StatusOr<Certificate> parsed = ReadCertificate(material->certificate);
  if (parsed.ok() && published_.certificate.empty()) {
    not_after_ = parsed->not_after;
    ca_not_after_ = CaExpiry(material->ca, material->certificate);
  }
  return Check(files_, *material, now);
}

absl::StatusOr<Certificate> VettedFiles::Reload(absl::Time now) {
  Material material;
  absl::StatusOr<Certificate> certificate = ReadGood(&material, now);
  // The kubelet may have replaced a mounted Secret between the reads of two files.
  if (!certificate.ok()) certificate = ReadGood(&material, now);
  if (!certificate.ok() || material == published_) return certificate;
  if (!published_.certificate.empty() && certificate->not_before > now) return certificate;
  if (absl::Status status = Publish(material); !status.ok()) return status;
  published_ = std::move(material);
  not_after_ = certificate->not_after;
  ca_not_after_ = CaExpiry(published_.ca, published_.certificate);
  return certificate;
}

absl::Status VettedFiles::Publish(const Material& material) {
  const auto identity = MemoryFile::Draft::Of(Identity(material));
  if (!identity.ok()) return identity.status();
  const auto ca = MemoryFile::Draft::Of(material.ca);
  if (!ca.ok()) return ca.status();
  absl::Status status = ca_.Exchange(*ca);
  if (status.ok()) status = identity_.Exchange(*identity);
  if (!status.ok()) return status;
  if (Content(identity_.path()) == Identity(material)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot publish the TLS files: ", identity_.path(), " cannot be read; is /proc mounted?"));
}

}  // namespace xebec::tls
