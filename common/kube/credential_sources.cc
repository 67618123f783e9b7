// SPDX-License-Identifier: Apache-2.0
#include "common/kube/credential_sources.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/kube/files.h"
#include "common/kube/pem.h"

namespace xebec::kube::internal {
namespace {

constexpr absl::Duration kReadAgain = absl::Seconds(60);

absl::Status Prefixed(const std::string& prefix, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(prefix, ": ", status.message()));
}

}  // namespace

absl::StatusOr<std::string> CleanToken(const std::string& token) {
  const std::string clean(absl::StripAsciiWhitespace(token));
  if (clean.empty()) return absl::InvalidArgumentError("the token is empty");
  const bool printable =
      std::all_of(clean.begin(), clean.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!printable) {
    return absl::InvalidArgumentError("the token contains invalid characters");
  }
  return clean;
}

absl::StatusOr<std::string> Load(const std::string& what, const DataOrFile& source) {
  if (!source.data.empty()) return DecodeBase64(absl::StrCat(what, "-data"), source.data);
  auto text = ReadSmallFile(source.file);
  if (!text.ok()) return Prefixed(what, text.status());
  return text;
}

absl::StatusOr<Credentials> FileCredentialSource::Get() {
  MutexLock lock(&mu_);
  const Instant now = clock_();
  if (cached_ && now.monotonic - read_at_ < kReadAgain) return *cached_;
  auto credentials = Read(now.wall);
  if (!credentials.ok()) return Prefixed(origin_, credentials.status());
  cached_ = *credentials;
  read_at_ = now.monotonic;
  return credentials;
}

void FileCredentialSource::Invalidate() {
  MutexLock lock(&mu_);
  cached_.reset();
}

absl::StatusOr<Credentials> FileCredentialSource::Read(absl::Time now) const {
  Credentials out;
  if (absl::Status status = ReadCertificate(now, &out); !status.ok()) return status;
  if (absl::Status status = ReadToken(&out); !status.ok()) return status;
  if (out.bearer_token.empty()) {
    out.basic_user = user_.username;
    out.basic_password = user_.password;
  }
  return out;
}

absl::Status FileCredentialSource::ReadCertificate(absl::Time now, Credentials* out) const {
  if (user_.client_certificate.empty() && user_.client_key.empty()) return absl::OkStatus();
  if (user_.client_certificate.empty() || user_.client_key.empty()) {
    return absl::InvalidArgumentError(user_.client_key.empty()
                                          ? "there is a client certificate without client-key"
                                          : "there is a client key without client-certificate");
  }
  auto certificate = Load("client-certificate", user_.client_certificate);
  if (!certificate.ok()) return certificate.status();
  auto key = Load("client-key", user_.client_key);
  if (!key.ok()) return key.status();
  out->client_cert_pem = *std::move(certificate);
  out->client_key_pem = *std::move(key);
  return CheckClientCertificate(out->client_cert_pem, out->client_key_pem, now);
}

absl::Status FileCredentialSource::ReadToken(Credentials* out) const {
  std::string token = user_.token;
  std::string what = "token";
  if (!user_.token_file.empty()) {
    auto text = ReadSmallFile(user_.token_file);
    if (!text.ok() && token.empty()) return Prefixed("tokenFile", text.status());
    if (text.ok()) token = *text, what = absl::StrCat("tokenFile ", user_.token_file);
  }
  if (token.empty() && user_.token_file.empty()) return absl::OkStatus();
  auto clean = CleanToken(token);
  if (!clean.ok()) return Prefixed(what, clean.status());
  out->bearer_token = *std::move(clean);
  return absl::OkStatus();
}

}  // namespace xebec::kube::internal
