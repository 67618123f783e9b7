// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal/renewal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "certs/renewal/decision.h"
#include "common/tls/certificate.h"
#include "common/tls/issue.h"

namespace xebec::certs {
namespace {

constexpr char kCertificate[] = "tls.crt";
constexpr char kKey[] = "tls.key";
constexpr char kNextCertificate[] = "next.crt";
constexpr char kNextKey[] = "next.key";
constexpr char kNextSince[] = "next.since";
constexpr char kTrusted[] = "ca.crt";
constexpr absl::Duration kBackdate = absl::Minutes(5);  // for clocks that are behind
constexpr size_t kLongestCommonName = 64;               // X.520

std::string Get(const SecretData& data, const std::string& key) {
  const auto found = data.find(key);
  return found == data.end() ? "" : found->second;
}

SecretData Find(const Secrets& secrets, const std::string& name) {
  const auto found = secrets.find(name);
  return found == secrets.end() ? SecretData() : found->second;
}

std::optional<Life> LifeOf(const std::string& certificate, const std::string& key) {
  const auto read = tls::ReadCertificate(certificate);
  if (!read.ok() || !tls::CheckKey(certificate, key).ok()) return std::nullopt;
  return Life{read->not_before, read->not_after};
}

/// A long release loses its end: the time tells one authority from the next.
std::string AuthorityName(const Options& options, absl::Time now) {
  const std::string which = absl::StrCat(" authority ", absl::ToUnixSeconds(now));
  return absl::StrCat(options.fullname.substr(0, kLongestCommonName - which.size()), which);
}

absl::StatusOr<tls::KeyPair> NewAuthority(const Options& options, absl::Time now) {
  tls::Subject subject;
  subject.common_name = AuthorityName(options, now);
  subject.not_before = now - kBackdate;
  subject.not_after = now + options.authority_life;
  return tls::IssueAuthority(subject);
}

bool Carries(const SecretData& leaf, const std::string& certificate) {
  const std::vector<std::string> trusted = tls::SplitBundle(Get(leaf, kTrusted));
  return std::find(trusted.begin(), trusted.end(), certificate) != trusted.end();
}

/// A run may have written the authority's Secret and then failed on a leaf's.
std::optional<absl::Time> KnownSince(const Secrets& present, const SecretData& authority,
                                     const Options& options, absl::Time now) {
  absl::Time since;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Get(authority, kNextSince), &since, &error) ||
      since > now) {
    return std::nullopt;
  }
  for (const Identity& identity : IdentitiesOf(options)) {
    if (!Carries(Find(present, identity.secret), Get(authority, kNextCertificate))) {
      return std::nullopt;
    }
  }
  return since;
}

void Promote(SecretData* authority) {
  (*authority)[kCertificate] = std::move((*authority)[kNextCertificate]);
  (*authority)[kKey] = std::move((*authority)[kNextKey]);
  for (const char* key : {kNextCertificate, kNextKey, kNextSince}) authority->erase(key);
}

void Announce(absl::Time now, SecretData* authority) {
  (*authority)[kNextSince] = absl::FormatTime(absl::RFC3339_full, now, absl::UTCTimeZone());
}

/// The authority's Secret, before its bundle is made.
absl::StatusOr<SecretData> StepAuthority(const Secrets& present, const Options& options,
                                         absl::Time now) {
  SecretData data = Find(present, AuthoritySecret(options));
  const AuthorityState state{LifeOf(Get(data, kCertificate), Get(data, kKey)),
                             LifeOf(Get(data, kNextCertificate), Get(data, kNextKey)),
                             KnownSince(present, data, options, now)};
  const AuthorityStep step = DecideAuthority(state, now, options);
  if (step == AuthorityStep::kPromote) Promote(&data);
  if (step == AuthorityStep::kMake || step == AuthorityStep::kAnnounce) {
    absl::StatusOr<tls::KeyPair> made = NewAuthority(options, now);
    if (!made.ok()) return made.status();
    const bool at_once = step == AuthorityStep::kMake;
    data[at_once ? kCertificate : kNextCertificate] = std::move(made->certificate);
    data[at_once ? kKey : kNextKey] = std::move(made->key);
  }
  if (step == AuthorityStep::kAnnounce || step == AuthorityStep::kAnnounceAgain) {
    Announce(now, &data);
  }
  return data;
}

/// The authority that signs, the one that will, and those before that have not expired.
std::string Bundle(const SecretData& authority, absl::Time now) {
  std::vector<std::string> trusted = {Get(authority, kCertificate)};
  if (authority.contains(kNextCertificate)) trusted.push_back(Get(authority, kNextCertificate));
  for (std::string& old : tls::SplitBundle(Get(authority, kTrusted))) {
    const auto read = tls::ReadCertificate(old);
    const bool known = std::find(trusted.begin(), trusted.end(), old) != trusted.end();
    if (read.ok() && read->not_after > now && !known) trusted.push_back(std::move(old));
  }
  std::string bundle;
  for (const std::string& each : trusted) bundle += each;
  return bundle;
}

LeafState Look(const SecretData& leaf, const SecretData& authority, const Identity& identity) {
  LeafState state;
  const std::string certificate = Get(leaf, kCertificate);
  const std::optional<Life> life = LifeOf(certificate, Get(leaf, kKey));
  if (!life) return state;
  const auto read = tls::ReadCertificate(certificate);
  state.usable = true;
  state.life = *life;
  state.by_active = tls::IsSignedBy(certificate, Get(authority, kCertificate));
  state.names_as_wanted =
      read->uris == std::vector<std::string>{identity.uri} && read->dns_names == identity.dns_names;
  return state;
}

absl::StatusOr<tls::KeyPair> NewLeaf(const SecretData& authority, const Identity& identity,
                                     const Options& options, absl::Time now) {
  tls::Subject subject;
  subject.common_name = identity.secret.substr(0, kLongestCommonName);
  subject.dns_names = identity.dns_names;
  subject.uris = {identity.uri};
  subject.not_before = now - kBackdate;
  const auto signer = tls::ReadCertificate(Get(authority, kCertificate));
  subject.not_after = std::min(now + options.leaf_life, signer->not_after);
  return tls::IssueLeaf({Get(authority, kCertificate), Get(authority, kKey)}, subject);
}

absl::Status StepLeaf(const SecretData& authority, const Identity& identity, const Options& options,
                      absl::Time now, SecretData* leaf) {
  (*leaf)[kTrusted] = Get(authority, kTrusted);
  if (!NeedsNew(Look(*leaf, authority, identity), now)) return absl::OkStatus();
  absl::StatusOr<tls::KeyPair> made = NewLeaf(authority, identity, options, now);
  if (!made.ok()) return made.status();
  (*leaf)[kCertificate] = std::move(made->certificate);
  (*leaf)[kKey] = std::move(made->key);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Secrets> Renew(const Secrets& present, const Options& options, absl::Time now) {
  absl::StatusOr<SecretData> authority = StepAuthority(present, options, now);
  if (!authority.ok()) return authority.status();
  (*authority)[kTrusted] = Bundle(*authority, now);
  Secrets wanted = {{AuthoritySecret(options), *authority}};
  for (const Identity& identity : IdentitiesOf(options)) {
    SecretData leaf = Find(present, identity.secret);
    const absl::Status stepped = StepLeaf(*authority, identity, options, now, &leaf);
    if (!stepped.ok()) return stepped;
    wanted[identity.secret] = std::move(leaf);
  }
  return wanted;
}

}  // namespace xebec::certs
