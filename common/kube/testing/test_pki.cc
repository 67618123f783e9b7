// SPDX-License-Identifier: Apache-2.0
#include "common/kube/testing/test_pki.h"

#include <atomic>

#include "common/tls/issue.h"

namespace xebec::kube::testing {
namespace {

KeyPair Take(absl::StatusOr<tls::KeyPair> made) {
  if (!made.ok()) return {};
  return {made->certificate, made->key};
}

tls::Subject About(const std::string& name, absl::Time end) {
  tls::Subject subject;
  subject.common_name = name;
  subject.not_before = absl::UnixEpoch();
  subject.not_after = end;
  return subject;
}

}  // namespace

KeyPair MakeCa(absl::Time end) {
  static std::atomic<int> number{1};
  return Take(tls::IssueCa(About("test-ca-" + std::to_string(number++), end)));
}

KeyPair MakeCertificate(const KeyPair& ca, const std::string& name, absl::Time end,
                        const std::string& uri) {
  tls::Subject subject = About(name, end);
  subject.dns_names = {name};
  subject.addresses = {"127.0.0.1"};
  if (!uri.empty()) subject.uris = {uri};
  return Take(tls::IssueCertificate({ca.cert_pem, ca.key_pem}, subject));
}

}  // namespace xebec::kube::testing
