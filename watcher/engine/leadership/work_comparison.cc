// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/work_comparison.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/digest.h"
#include "watcher/engine/leadership/member_lease.h"

namespace xebec::watcher {
namespace {

constexpr size_t kWorkDigits = 12;
constexpr absl::Duration kMayDiffer = absl::Minutes(1);

std::string SetText(const char* name, std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  return absl::StrCat(name, "=", absl::StrJoin(values, ","), "\n");
}

}  // namespace

std::string WorkOf(const Options& options) {
  std::string text = absl::StrCat(SetText("kinds", options.allowed_kinds),
                                  SetText("namespaces", options.namespaces));
  if (options.hooks) {
    absl::StrAppend(&text, SetText("parents", options.hook_parents),
                    SetText("children", options.hook_children));
  }
  return ShortDigest(text, kWorkDigits);
}

void WorkComparison::Review(const Members& members, absl::Duration now, Outputs* out) {
  const Member* other = Differing(members, now);
  if (other == nullptr) {
    since_.reset();
    noted_ = false;
    return;
  }
  if (!since_) since_ = now;
  if (noted_ || now - *since_ < kMayDiffer) return;
  noted_ = true;
  out->push_back(LeaseNote(
      Note::Level::kWarning, "Watchers differ",
      absl::StrCat(other->identity,
                   " uses the Leases of this watcher but has other kinds, namespaces or hooks, so "
                   "parents may stay unplanned: give both the same settings, or another "
                   "lease.prefix to one of them")));
}

// Watchers of older versions do not tell what they plan.
const Member* WorkComparison::Differing(const Members& members, absl::Duration now) const {
  for (const Member& each : members.present()) {
    const MemberFacts& facts = each.facts;
    const bool takes_part = each.identity != identity_ && !facts.leaving && now < each.expires_at;
    if (takes_part && !facts.work.empty() && facts.work != work_) return &each;
  }
  return nullptr;
}

}  // namespace xebec::watcher
