// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal/decision.h"

namespace xebec::certs {

CaStep DecideCa(const CaState& state, absl::Time now, const Options& options) {
  if (!state.active || state.active->end <= now) {
    return state.next && state.next->end > now ? CaStep::kPromote : CaStep::kMake;
  }
  if (!state.next) {
    return state.active->IsOld(now) ? CaStep::kAnnounce : CaStep::kKeep;
  }
  if (!state.known_since) return CaStep::kAnnounceAgain;
  return now >= *state.known_since + options.overlap ? CaStep::kPromote : CaStep::kKeep;
}

bool NeedsNew(const CertificateState& certificate, absl::Time now) {
  return !certificate.usable || !certificate.by_active || !certificate.names_as_wanted ||
         certificate.life.IsOld(now);
}

}  // namespace xebec::certs
