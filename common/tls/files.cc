// SPDX-License-Identifier: Apache-2.0
#include "common/tls/files.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace xebec::tls {
namespace {

absl::Status About(absl::string_view what, const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat("TLS ", what, " file ", path, " ", status.message())};
}

absl::StatusOr<std::string> ReadOne(absl::string_view what, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (file) return std::string(std::istreambuf_iterator<char>(file), {});
  return About(
      what, path,
      absl::NotFoundError("cannot be read: is the Secret mounted, may this user read it?"));
}

absl::Status Missing(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("TLS needs certificate, key and CA files together: the ", what, " is missing"));
}

}  // namespace

absl::Status Named(const Files& files) {
  if (files.certificate.empty()) return Missing("certificate");
  if (files.key.empty()) return Missing("key");
  if (files.ca.empty()) return Missing("CA");
  return absl::OkStatus();
}

absl::StatusOr<Material> Read(const Files& files) {
  if (absl::Status named = Named(files); !named.ok()) return named;
  absl::StatusOr<std::string> certificate = ReadOne("certificate", files.certificate);
  if (!certificate.ok()) return certificate.status();
  absl::StatusOr<std::string> key = ReadOne("key", files.key);
  if (!key.ok()) return key.status();
  absl::StatusOr<std::string> ca = ReadOne("CA", files.ca);
  if (!ca.ok()) return ca.status();
  return Material{*std::move(certificate), *std::move(key), *std::move(ca)};
}

absl::StatusOr<Certificate> Check(const Files& files, const Material& material, absl::Time now) {
  absl::StatusOr<Certificate> certificate = ReadCertificate(material.certificate);
  if (!certificate.ok()) return About("certificate", files.certificate, certificate.status());
  absl::Status status = About("key", files.key, CheckKey(material.certificate, material.key));
  if (!status.ok()) return status;
  status = About("CA", files.ca, ReadCertificate(material.ca).status());
  if (!status.ok()) return status;
  status = About("CA", files.ca, CheckCaValidity(material.ca, now));
  if (!status.ok()) return status;
  status = About("certificate", files.certificate, CheckValidity(*certificate, now));
  if (!status.ok()) return status;
  return certificate;
}

absl::StatusOr<Certificate> Check(const Files& files, absl::Time now) {
  const absl::StatusOr<Material> material = Read(files);
  return material.ok() ? Check(files, *material, now) : material.status();
}

}  // namespace xebec::tls
