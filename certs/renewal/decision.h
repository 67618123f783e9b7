// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "certs/renewal/identities.h"

/// What has to be renewed: a pure decision.
namespace xebec::certs {

/// From and until when a certificate is valid.
struct Life {
  absl::Time begin;
  absl::Time end;

  /// Two thirds of it have passed.
  bool IsOld(absl::Time now) const { return now >= begin + (end - begin) * 2 / 3; }
};

/// A CA is announced before it signs anything: while `next` is there, everybody learns to
/// trust it.
struct CaState {
  std::optional<Life> active;  ///< Signs. None: there is none, or it cannot be used.
  std::optional<Life> next;    ///< Will sign.
  /// Since when everybody has been told of `next`. None: not everybody has.
  std::optional<absl::Time> known_since;
};

enum class CaStep {
  kKeep,
  kMake,           ///< There is none that could be used: make one that signs at once.
  kAnnounce,       ///< Make `next`.
  kAnnounceAgain,  ///< Tell everybody of `next`; the time counts from now.
  kPromote,        ///< `next` becomes active; the one before is trusted until it expires.
};

CaStep DecideCa(const CaState& state, absl::Time now, const Options& options);

/// A certificate as it is found.
struct CertificateState {
  bool usable = false;           ///< Can be read, and its key fits.
  bool by_active = false;        ///< Signed by the CA that is active now.
  bool names_as_wanted = false;  ///< Its names are those of the identity.
  Life life;
};

/// True when a new certificate and key have to be issued.
bool NeedsNew(const CertificateState& certificate, absl::Time now);

}  // namespace xebec::certs
