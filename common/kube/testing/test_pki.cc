// SPDX-License-Identifier: Apache-2.0
#include "common/kube/testing/test_pki.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>

namespace xebec::kube::testing {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Cert = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

KeyPair ToPem(X509* cert, EVP_PKEY* key) {
  const Bio cert_bio(BIO_new(BIO_s_mem()), &BIO_free);
  const Bio key_bio(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_X509(cert_bio.get(), cert);
  PEM_write_bio_PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return {Text(cert_bio.get()), Text(key_bio.get())};
}

void AddExtension(X509* cert, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

Cert NewCert(const std::string& name, EVP_PKEY* key, absl::Time end) {
  static std::atomic<long> serial{1};
  Cert cert(X509_new(), &X509_free);
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial++);
  ASN1_TIME_set(X509_getm_notBefore(cert.get()), 0);
  ASN1_TIME_set(X509_getm_notAfter(cert.get()), absl::ToTimeT(end));
  X509_set_pubkey(cert.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return cert;
}

std::string UniqueName(const std::string& prefix) {
  static std::atomic<int> number{1};
  return prefix + std::to_string(number++);
}

Key ReadKey(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
}

Cert ReadCert(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free};
}

}  // namespace

KeyPair MakeCa() {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Cert cert = NewCert(UniqueName("test-ca-"), key.get(),
                            absl::FromCivil(absl::CivilYear(2120), absl::UTCTimeZone()));
  X509_set_issuer_name(cert.get(), X509_get_subject_name(cert.get()));
  AddExtension(cert.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(cert.get(), key.get(), EVP_sha256());
  return ToPem(cert.get(), key.get());
}

KeyPair MakeLeaf(const KeyPair& ca, const std::string& name, absl::Time end) {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Cert cert = NewCert(name, key.get(), end);
  const Cert issuer = ReadCert(ca.cert_pem);
  const Key issuer_key = ReadKey(ca.key_pem);
  X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer.get()));
  AddExtension(cert.get(), NID_subject_alt_name, "DNS:" + name + ",IP:127.0.0.1");
  X509_sign(cert.get(), issuer_key.get(), EVP_sha256());
  return ToPem(cert.get(), key.get());
}

}  // namespace xebec::kube::testing
