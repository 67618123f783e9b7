// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/credentials.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tls/certificate.h"

namespace xebec::gateway {
namespace {

absl::Status Bad(const std::string& entry, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("credentials: \"", entry, "\": ", why,
                   "; expected name=/folder@host, with | between several hosts, as in "
                   "team-a=/etc/xebec/credentials/team-a@*.team-a.svc|hooks.example.com"));
}

bool Fits(const std::string& pattern, const std::string& host) {
  return absl::StartsWith(pattern, "*.") ? absl::EndsWith(host, pattern.substr(1))
                                         : host == pattern;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  constexpr size_t kLargest = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty() || text.size() > kLargest)
    return absl::FailedPreconditionError(absl::StrCat("the file ", path, " cannot be read"));
  return text;
}

}  // namespace

absl::StatusOr<Credentials> Credentials::Make(const std::vector<std::string>& entries) {
  Credentials credentials;
  for (const std::string& text : entries) {
    const size_t equals = text.find('=');
    const size_t at = text.rfind('@');
    if (equals == std::string::npos || at == std::string::npos || at < equals)
      return Bad(text, "it has no = or no @");
    const std::string name = text.substr(0, equals);
    Entry entry;
    entry.folder = text.substr(equals + 1, at - equals - 1);
    for (absl::string_view host : absl::StrSplit(text.substr(at + 1), '|', absl::SkipEmpty())) {
      entry.hosts.push_back(absl::AsciiStrToLower(host));
    }
    if (name.empty() || entry.folder.empty() || entry.hosts.empty())
      return Bad(text, "the name, the folder or the host is empty");
    if (!credentials.entries_.emplace(name, std::move(entry)).second)
      return Bad(text, "the name appears twice");
  }
  return credentials;
}

Credentials Credentials::Of(ClientCertificate certificate) {
  Credentials credentials;
  credentials.certificate_ = std::move(certificate);
  return credentials;
}

absl::StatusOr<ClientCertificate> Credentials::Load(const std::string& name,
                                                    const std::string& host) const {
  if (certificate_) return *certificate_;
  const auto found = entries_.find(name);
  const bool fits = found != entries_.end() &&
                    std::any_of(found->second.hosts.begin(), found->second.hosts.end(),
                                [&](const std::string& pattern) { return Fits(pattern, host); });
  if (!fits) {
    return absl::PermissionDeniedError(absl::StrCat("the gateway's setting credentials has no \"",
                                                    Ellipsize(name, 100), "\" for host ", host));
  }
  ClientCertificate out;
  const std::string& folder = found->second.folder;
  XEBEC_ASSIGN_OR_RETURN(out.certificate, ReadFile(absl::StrCat(folder, "/tls.crt")));
  XEBEC_ASSIGN_OR_RETURN(out.key, ReadFile(absl::StrCat(folder, "/tls.key")));
  if (const absl::Status key = tls::CheckKey(out.certificate, out.key); !key.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the credential \"", name, "\" cannot be used: ", key.message()));
  }
  return out;
}

}  // namespace xebec::gateway
