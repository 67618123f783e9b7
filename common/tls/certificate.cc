// SPDX-License-Identifier: Apache-2.0
#include "common/tls/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/tls/openssl.h"

namespace xebec::tls {
namespace {

constexpr absl::Duration kClockSkew = absl::Minutes(5);

using Names = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

/// A key with a passphrase is refused instead of asking on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

X509Pointer ParseCertificate(const std::string& pem) {
  const Bio bio = Open(pem);
  X509Pointer certificate(PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr),
                          &X509_free);
  ERR_clear_error();
  return certificate;
}

KeyPointer ParseKey(const std::string& pem) {
  const Bio bio = Open(pem);
  KeyPointer key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr),
                 &EVP_PKEY_free);
  ERR_clear_error();
  return key;
}

absl::Time ToTime(const ASN1_TIME* time) {
  std::tm tm{};
  if (ASN1_TIME_to_tm(time, &tm) != 1) return absl::InfiniteFuture();
  return absl::FromTM(tm, absl::UTCTimeZone());
}

std::string Format(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

/// The alternative names of one type, GEN_URI or GEN_DNS.
std::vector<std::string> AlternativeNames(X509* certificate, int type) {
  const Names names(static_cast<GENERAL_NAMES*>(
                        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
                    &GENERAL_NAMES_free);
  std::vector<std::string> found;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != type) continue;
    const ASN1_IA5STRING* text = name->d.ia5;
    found.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<size_t>(ASN1_STRING_length(text)));
  }
  return found;
}

}  // namespace

absl::StatusOr<Certificate> ReadCertificate(const std::string& pem) {
  const X509Pointer parsed = ParseCertificate(pem);
  if (parsed == nullptr) return absl::InvalidArgumentError("is not a PEM certificate");
  return Certificate{
      ToTime(X509_get0_notBefore(parsed.get())), ToTime(X509_get0_notAfter(parsed.get())),
      AlternativeNames(parsed.get(), GEN_URI), AlternativeNames(parsed.get(), GEN_DNS)};
}

absl::Status CheckKey(const std::string& certificate_pem, const std::string& key_pem) {
  const X509Pointer certificate = ParseCertificate(certificate_pem);
  if (certificate == nullptr) return absl::InvalidArgumentError("is not a PEM certificate");
  const KeyPointer key = ParseKey(key_pem);
  if (key == nullptr) {
    return absl::InvalidArgumentError("is not a PEM private key without a passphrase");
  }
  const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (match) return absl::OkStatus();
  return absl::InvalidArgumentError("does not belong to the certificate");
}

absl::Status CheckValidity(const Certificate& certificate, absl::Time now) {
  if (certificate.not_after <= now) {
    return absl::FailedPreconditionError(
        absl::StrCat("expired on ", Format(certificate.not_after)));
  }
  if (certificate.not_before <= now + kClockSkew) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "is not valid before ", Format(certificate.not_before), ": check this machine's clock"));
}

bool IsSignedBy(const std::string& pem, const std::string& ca_pem) {
  const X509Pointer certificate = ParseCertificate(pem);
  const X509Pointer ca = ParseCertificate(ca_pem);
  if (certificate == nullptr || ca == nullptr) return false;
  const bool good = X509_verify(certificate.get(), X509_get0_pubkey(ca.get())) == 1;
  ERR_clear_error();
  return good;
}

absl::Time CaExpiry(const std::string& ca_pem, const std::string& pem) {
  absl::Time signer = absl::InfinitePast(), latest = absl::InfinitePast();
  for (const std::string& each : SplitBundle(ca_pem)) {
    const absl::StatusOr<Certificate> ca = ReadCertificate(each);
    if (!ca.ok()) continue;
    latest = std::max(latest, ca->not_after);
    if (IsSignedBy(pem, each)) signer = std::max(signer, ca->not_after);
  }
  return signer == absl::InfinitePast() ? latest : signer;
}

absl::Status CheckCaValidity(const std::string& ca_pem, absl::Time now) {
  const absl::Time latest = CaExpiry(ca_pem, "");
  if (latest > now) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("expired on ", Format(latest)));
}

std::vector<std::string> SplitBundle(const std::string& pem) {
  constexpr absl::string_view kEnd = "-----END CERTIFICATE-----";
  std::vector<std::string> found;
  size_t begin = 0;
  for (size_t end = pem.find(kEnd.data()); end != std::string::npos;
       end = pem.find(kEnd.data(), begin)) {
    const size_t next = end + kEnd.size();
    const size_t start = pem.find("-----BEGIN CERTIFICATE-----", begin);
    if (start < end) found.push_back(pem.substr(start, next - start) + "\n");
    begin = next;
  }
  return found;
}

}  // namespace xebec::tls
