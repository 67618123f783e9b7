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

/// A long release loses its end: the time tells one CA from the next.
std::string CaName(const Options& options, absl::Time now) {
  const std::string which = absl::StrCat(" CA ", absl::ToUnixSeconds(now));
  return absl::StrCat(options.fullname.substr(0, kLongestCommonName - which.size()), which);
}

absl::StatusOr<tls::KeyPair> NewCa(const Options& options, absl::Time now) {
  tls::Subject subject;
  subject.common_name = CaName(options, now);
  subject.not_before = now - kBackdate;
  subject.not_after = now + options.ca_duration;
  return tls::IssueCa(subject);
}

bool Carries(const SecretData& secret, const std::string& certificate) {
  const std::vector<std::string> trusted = tls::SplitBundle(Get(secret, kTrusted));
  return std::find(trusted.begin(), trusted.end(), certificate) != trusted.end();
}

/// A run may have written the CA's Secret and then failed on a certificate's.
std::optional<absl::Time> KnownSince(const Secrets& present, const SecretData& ca,
                                     const Options& options, absl::Time now) {
  absl::Time since;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Get(ca, kNextSince), &since, &error) || since > now) {
    return std::nullopt;
  }
  for (const Identity& identity : IdentitiesOf(options)) {
    if (!Carries(Find(present, identity.secret), Get(ca, kNextCertificate))) {
      return std::nullopt;
    }
  }
  return since;
}

void Promote(SecretData* ca) {
  (*ca)[kCertificate] = std::move((*ca)[kNextCertificate]);
  (*ca)[kKey] = std::move((*ca)[kNextKey]);
  for (const char* key : {kNextCertificate, kNextKey, kNextSince}) ca->erase(key);
}

void Announce(absl::Time now, SecretData* ca) {
  (*ca)[kNextSince] = absl::FormatTime(absl::RFC3339_full, now, absl::UTCTimeZone());
}

/// The CA's Secret, before its bundle is made.
absl::StatusOr<SecretData> StepCa(const Secrets& present, const Options& options, absl::Time now) {
  SecretData data = Find(present, CaSecret(options));
  const CaState state{LifeOf(Get(data, kCertificate), Get(data, kKey)),
                      LifeOf(Get(data, kNextCertificate), Get(data, kNextKey)),
                      KnownSince(present, data, options, now)};
  const CaStep step = DecideCa(state, now, options);
  if (step == CaStep::kPromote) Promote(&data);
  if (step == CaStep::kMake || step == CaStep::kAnnounce) {
    absl::StatusOr<tls::KeyPair> made = NewCa(options, now);
    if (!made.ok()) return made.status();
    const bool at_once = step == CaStep::kMake;
    data[at_once ? kCertificate : kNextCertificate] = std::move(made->certificate);
    data[at_once ? kKey : kNextKey] = std::move(made->key);
  }
  if (step == CaStep::kAnnounce || step == CaStep::kAnnounceAgain) {
    Announce(now, &data);
  }
  return data;
}

/// The CA that signs, the one that will, and those before that have not expired.
std::string Bundle(const SecretData& ca, absl::Time now) {
  std::vector<std::string> trusted = {Get(ca, kCertificate)};
  if (ca.contains(kNextCertificate)) trusted.push_back(Get(ca, kNextCertificate));
  for (std::string& old : tls::SplitBundle(Get(ca, kTrusted))) {
    const auto read = tls::ReadCertificate(old);
    const bool known = std::find(trusted.begin(), trusted.end(), old) != trusted.end();
    if (read.ok() && read->not_after > now && !known) trusted.push_back(std::move(old));
  }
  std::string bundle;
  for (const std::string& each : trusted) bundle += each;
  return bundle;
}

CertificateState Look(const SecretData& secret, const SecretData& ca, const Identity& identity) {
  CertificateState state;
  const std::string certificate = Get(secret, kCertificate);
  const std::optional<Life> life = LifeOf(certificate, Get(secret, kKey));
  if (!life) return state;
  const auto read = tls::ReadCertificate(certificate);
  state.usable = true;
  state.life = *life;
  state.by_active = tls::IsSignedBy(certificate, Get(ca, kCertificate));
  state.names_as_wanted =
      read->uris == std::vector<std::string>{identity.uri} && read->dns_names == identity.dns_names;
  return state;
}

absl::StatusOr<tls::KeyPair> NewCertificate(const SecretData& ca, const Identity& identity,
                                            const Options& options, absl::Time now) {
  tls::Subject subject;
  subject.common_name = identity.secret.substr(0, kLongestCommonName);
  subject.dns_names = identity.dns_names;
  subject.uris = {identity.uri};
  subject.not_before = now - kBackdate;
  const auto signer = tls::ReadCertificate(Get(ca, kCertificate));
  subject.not_after = std::min(now + options.cert_duration, signer->not_after);
  return tls::IssueCertificate({Get(ca, kCertificate), Get(ca, kKey)}, subject);
}

absl::Status StepCertificate(const SecretData& ca, const Identity& identity, const Options& options,
                             absl::Time now, SecretData* secret) {
  (*secret)[kTrusted] = Get(ca, kTrusted);
  if (!NeedsNew(Look(*secret, ca, identity), now)) return absl::OkStatus();
  absl::StatusOr<tls::KeyPair> made = NewCertificate(ca, identity, options, now);
  if (!made.ok()) return made.status();
  (*secret)[kCertificate] = std::move(made->certificate);
  (*secret)[kKey] = std::move(made->key);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Secrets> Renew(const Secrets& present, const Options& options, absl::Time now) {
  absl::StatusOr<SecretData> ca = StepCa(present, options, now);
  if (!ca.ok()) return ca.status();
  (*ca)[kTrusted] = Bundle(*ca, now);
  Secrets wanted = {{CaSecret(options), *ca}};
  for (const Identity& identity : IdentitiesOf(options)) {
    SecretData secret = Find(present, identity.secret);
    const absl::Status stepped = StepCertificate(*ca, identity, options, now, &secret);
    if (!stepped.ok()) return stepped;
    wanted[identity.secret] = std::move(secret);
  }
  return wanted;
}

}  // namespace xebec::certs
