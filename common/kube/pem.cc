// SPDX-License-Identifier: Apache-2.0
#include "common/kube/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"

namespace xebec::kube::internal {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Bio Open(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

/// A key with a passphrase is refused instead of asking on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

Certificate ReadCertificate(const std::string& pem) {
  const Bio bio = Open(pem);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr),
                          &X509_free);
  ERR_clear_error();
  return certificate;
}

Key ReadKey(const std::string& pem) {
  const Bio bio = Open(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr), &EVP_PKEY_free);
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

}  // namespace

absl::Status CheckCaPem(const std::string& pem) {
  if (ReadCertificate(pem) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("holds no PEM certificate");
}

absl::Status CheckClientCertificate(const std::string& cert_pem, const std::string& key_pem,
                                    absl::Time now) {
  const Certificate certificate = ReadCertificate(cert_pem);
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("the client certificate is no PEM certificate");
  }
  const Key key = ReadKey(key_pem);
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        "the client key is no PEM private key, or one with a passphrase");
  }
  const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!match) {
    return absl::InvalidArgumentError("the client key does not belong to the client certificate");
  }
  const absl::Time end = ToTime(X509_get0_notAfter(certificate.get()));
  if (end <= now) {
    return absl::FailedPreconditionError(
        absl::StrCat("the client certificate expired on ", Format(end), ": get a new kubeconfig"));
  }
  const absl::Time begin = ToTime(X509_get0_notBefore(certificate.get()));
  if (begin > now + absl::Minutes(5)) {
    return absl::FailedPreconditionError(absl::StrCat("the client certificate is not valid before ",
                                                      Format(begin),
                                                      ": check this machine's clock"));
  }
  return absl::OkStatus();
}

}  // namespace xebec::kube::internal
