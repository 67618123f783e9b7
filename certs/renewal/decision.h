// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "certs/renewal/identities.h"

/// Decides what to renew. Pure: no clock, no I/O.
namespace xebec::certs {

/// The validity period of a certificate.
struct Life {
  absl::Time begin;
  absl::Time end;

  /// True when two thirds of the period have passed: time to renew.
  bool IsOld(absl::Time now) const { return now >= begin + (end - begin) * 2 / 3; }
};

/// The CA of a release. A new CA is announced before it signs: while `next` is set, all services
/// learn to trust it.
struct CaState {
  std::optional<Life> active;  ///< The CA that signs; none if it is missing or unusable.
  std::optional<Life> next;    ///< The announced CA.
  /// Since when all Secrets have contained `next`; none while one of them does not.
  std::optional<absl::Time> known_since;
};

enum class CaStep {
  kKeep,
  kMake,           ///< No CA is usable: create one that signs immediately.
  kAnnounce,       ///< Create `next`.
  kAnnounceAgain,  ///< Write `next` into all Secrets; the overlap starts now.
  kPromote,        ///< `next` becomes active; the old CA is trusted until it expires.
};

CaStep DecideCa(const CaState& state, absl::Time now, const Options& options);

/// The state of an existing certificate.
struct CertificateState {
  bool usable = false;           ///< It can be parsed, and its key belongs to it.
  bool by_active = false;        ///< Signed by the active CA.
  bool names_as_wanted = false;  ///< Its names match the identity.
  Life life;
};

/// True when a new certificate and key must be issued.
bool NeedsNew(const CertificateState& certificate, absl::Time now);

}  // namespace xebec::certs
