// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal/decision.h"

namespace xebec::certs {

AuthorityStep DecideAuthority(const AuthorityState& state, absl::Time now, const Options& options) {
  if (!state.active || state.active->end <= now) {
    return state.next && state.next->end > now ? AuthorityStep::kPromote : AuthorityStep::kMake;
  }
  if (!state.next) {
    return state.active->IsOld(now) ? AuthorityStep::kAnnounce : AuthorityStep::kKeep;
  }
  if (!state.known_since) return AuthorityStep::kAnnounceAgain;
  return now >= *state.known_since + options.overlap ? AuthorityStep::kPromote
                                                     : AuthorityStep::kKeep;
}

bool NeedsNew(const LeafState& leaf, absl::Time now) {
  return !leaf.usable || !leaf.by_active || !leaf.names_as_wanted || leaf.life.IsOld(now);
}

}  // namespace xebec::certs
