// SPDX-License-Identifier: Apache-2.0
#include "common/tls/issue.h"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/tls/openssl.h"

namespace xebec::tls {
namespace {

constexpr int kVersion3 = 2;
constexpr int kSerialBits = 127;

using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;

/// Returns the first of OpenSSL's errors, or a generic message if there is none.
std::string FirstError() {
  const char* data = nullptr;
  int flags = 0;
  const char* reason =
      ERR_reason_error_string(ERR_peek_error_all(nullptr, nullptr, nullptr, &data, &flags));
  if (reason == nullptr) return "no reason given";
  const bool more = (flags & ERR_TXT_STRING) != 0 && *data != '\0';
  return absl::StrCat(reason, more ? ": " : "", more ? data : "");
}

/// OpenSSL would write a year of five digits.
bool SetTime(ASN1_TIME* field, absl::Time time) {
  if (ASN1_TIME_set(field, absl::ToTimeT(time)) != nullptr && ASN1_TIME_check(field) == 1) {
    return true;
  }
  if (ERR_peek_error() == 0) ERR_raise(ERR_LIB_ASN1, ASN1_R_ILLEGAL_TIME_VALUE);
  return false;
}

/// A certificate that is being built. Keeps the first error of OpenSSL.
class Draft {
 public:
  explicit Draft(const Subject& subject)
      : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free), certificate_(X509_new(), &X509_free) {
    Want(key_ != nullptr && certificate_ != nullptr);
    if (!good_) return;
    Want(X509_set_version(certificate(), kVersion3) == 1);
    SetSerial();
    Want(SetTime(X509_getm_notBefore(certificate()), subject.not_before));
    Want(SetTime(X509_getm_notAfter(certificate()), subject.not_after));
    Want(X509_set_pubkey(certificate(), key()) == 1);
    const auto* name = reinterpret_cast<const unsigned char*>(subject.common_name.c_str());
    Want(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate()), "CN", MBSTRING_UTF8, name,
                                    -1, -1, 0) == 1);
  }

  X509* certificate() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }

  void SetIssuer(X509* issuer) {
    if (!good_) return;
    Want(X509_set_issuer_name(certificate(), X509_get_subject_name(issuer)) == 1);
    issuer_ = issuer;
  }

  void Add(int nid, const std::string& value) {
    if (!good_ || value.empty()) return;
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer_, certificate(), nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    Want(extension != nullptr && X509_add_ext(certificate(), extension, -1) == 1);
    X509_EXTENSION_free(extension);
  }

  absl::StatusOr<KeyPair> Sign(EVP_PKEY* signer) {
    if (good_) Want(X509_sign(certificate(), signer, EVP_sha256()) > 0);
    const Bio certificate_bio(BIO_new(BIO_s_mem()), &BIO_free);
    const Bio key_bio(BIO_new(BIO_s_mem()), &BIO_free);
    if (good_) Want(PEM_write_bio_X509(certificate_bio.get(), certificate()) == 1);
    if (good_) {
      Want(PEM_write_bio_PrivateKey(key_bio.get(), key(), nullptr, nullptr, 0, nullptr, nullptr) ==
           1);
    }
    if (!good_) {
      return absl::InternalError(absl::StrCat("OpenSSL cannot issue a certificate: ", why_));
    }
    return KeyPair{Text(certificate_bio.get()), Text(key_bio.get())};
  }

 private:
  void Want(bool happened) {
    if (good_ && !happened) why_ = FirstError();
    good_ = good_ && happened;
    ERR_clear_error();  // some successful calls leave an error in the queue
  }

  void SetSerial() {
    const Number serial(BN_new(), &BN_free);
    Want(serial != nullptr &&
         BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate())) != nullptr);
  }

  static std::string Text(BIO* bio) {
    char* data = nullptr;
    const auto size = static_cast<size_t>(BIO_get_mem_data(bio, &data));
    return {data, size};
  }

  bool good_ = true;
  std::string why_;
  const KeyPointer key_;
  const X509Pointer certificate_;
  X509* issuer_ = nullptr;
};

void Append(std::string* names, const char* kind, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    absl::StrAppend(names, names->empty() ? "" : ",", kind, ":", value);
  }
}

std::string AlternativeNames(const Subject& subject) {
  std::string names;
  Append(&names, "DNS", subject.dns_names);
  Append(&names, "IP", subject.addresses);
  Append(&names, "URI", subject.uris);
  return names;
}

}  // namespace

absl::StatusOr<KeyPair> IssueCa(const Subject& subject) {
  Draft draft(subject);
  draft.SetIssuer(draft.certificate());
  draft.Add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  draft.Add(NID_key_usage, "critical,keyCertSign,cRLSign");
  draft.Add(NID_subject_key_identifier, "hash");
  return draft.Sign(draft.key());
}

absl::StatusOr<KeyPair> IssueCertificate(const KeyPair& ca, const Subject& subject) {
  const Bio certificate_bio = Open(ca.certificate);
  const Bio key_bio = Open(ca.key);
  const X509Pointer issuer(PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr),
                           &X509_free);
  const KeyPointer signer(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr),
                          &EVP_PKEY_free);
  if (issuer == nullptr || signer == nullptr) {
    ERR_clear_error();
    return absl::InvalidArgumentError("the CA is not a PEM certificate with its PEM key");
  }
  Draft draft(subject);
  draft.SetIssuer(issuer.get());
  draft.Add(NID_basic_constraints, "critical,CA:FALSE");
  draft.Add(NID_key_usage, "critical,digitalSignature");
  draft.Add(NID_ext_key_usage, "serverAuth,clientAuth");
  draft.Add(NID_subject_key_identifier, "hash");
  draft.Add(NID_authority_key_identifier, "keyid");
  draft.Add(NID_subject_alt_name, AlternativeNames(subject));
  return draft.Sign(signer.get());
}

}  // namespace xebec::tls
