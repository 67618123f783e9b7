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
  const Member* first = nullptr;
  differing_ = 0;
  for (const Member& each : members.present()) {
    if (each.identity == identity_ || now >= each.expires_at || !Differs(each.facts)) continue;
    if (first == nullptr) first = &each;
    ++differing_;
  }
  if (first == nullptr) {
    since_.reset();
    noted_ = false;
    return;
  }
  if (!since_) since_ = now;
  if (noted_ || now - *since_ < kMayDiffer) return;
  noted_ = true;
  out->push_back(LeaseNote(
      Note::Level::kWarning, "Watchers differ",
      absl::StrCat(first->identity,
                   " uses the Leases of this watcher but has other kinds, namespaces or hooks, so "
                   "parents may stay unplanned: give both the same settings, or another "
                   "lease.prefix to one of them")));
}

// Watchers of older versions do not tell what they plan.
bool WorkComparison::Differs(const MemberFacts& facts) const {
  return !facts.leaving && !facts.work.empty() && facts.work != work_;
}

}  // namespace xebec::watcher
