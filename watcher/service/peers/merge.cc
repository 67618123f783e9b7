// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "watcher/engine/key_view.h"
#include "watcher/service/key_paging.h"
#include "watcher/service/peers/fan_out.h"

namespace xebec::watcher {
namespace {

/// The place of a key in the list: resource, namespace, name and controller.
using Position = std::tuple<std::string, std::string, std::string, std::string>;

struct Candidate {
  const v1::KeySummary* key = nullptr;
  bool held = false;  ///< The watcher that returned it holds its bucket.
};

Position PositionOf(const v1::KeySummary& key) {
  return {ResourceOf(key.ref()), key.ref().namespace_(), key.ref().name(), key.controller()};
}

/// The keys of all pages, each one once.
std::map<Position, Candidate> Once(const std::vector<KeysOf>& parts) {
  std::map<Position, Candidate> once;
  for (const KeysOf& part : parts) {
    for (const v1::KeySummary& key : part.page.keys()) {
      Candidate& best = once[PositionOf(key)];
      const bool held = part.member.Holds(key.uid());
      if (best.key == nullptr || (held && !best.held)) best = {&key, held};
    }
  }
  return once;
}

/// Returns the place up to which all pages are complete; nullopt if they are to the end.
std::optional<Position> CompleteUpTo(const std::vector<KeysOf>& parts) {
  std::optional<Position> end;
  for (const KeysOf& part : parts) {
    if (part.page.next_page_token().empty() || part.page.keys().empty()) continue;
    const Position last = PositionOf(*part.page.keys().rbegin());
    if (!end || last < *end) end = last;
  }
  return end;
}

/// "watcher-2 (10.0.0.2:7442: Deadline Exceeded)"
std::string Name(const ParentAnswer& silent) {
  const std::string& identity = silent.member.identity;
  return absl::StrCat(identity.empty() ? "no watcher" : identity, " (", silent.member.address,
                      silent.member.address.empty() ? "" : ": ", silent.status.message(), ")");
}

/// Returns the error if no watcher knows the parent.
absl::Status Nowhere(const std::string& asked, const std::vector<ParentAnswer>& answers) {
  std::vector<std::string> silent;
  for (const ParentAnswer& each : answers) {
    if (MayLackParents(each.member, each.status)) silent.push_back(Name(each));
  }
  if (silent.empty()) return answers.front().status;
  return absl::UnavailableError(absl::StrCat("no ", asked, " is known so far; it may belong to ",
                                             absl::StrJoin(silent, " or ")));
}

}  // namespace

v1::ListKeysResponse MergeKeys(const v1::ListKeysRequest& request, size_t limit,
                               const std::vector<KeysOf>& parts) {
  const std::map<Position, Candidate> once = Once(parts);
  const std::optional<Position> end = CompleteUpTo(parts);
  v1::ListKeysResponse merged;
  for (const KeysOf& part : parts) merged.mutable_unanswered()->MergeFrom(part.page.unanswered());
  const Position* last = nullptr;
  bool more = end.has_value();
  for (const auto& [position, best] : once) {
    if (static_cast<size_t>(merged.keys_size()) == limit || (end && *end < position)) {
      more = true;
      break;
    }
    *merged.add_keys() = *best.key;
    last = &position;
  }
  if (more && last != nullptr) {
    const auto& [resource, ns, name, controller] = *last;
    merged.set_next_page_token(PageToken(request, TokenOf({resource, ns, name, controller})));
  }
  return merged;
}

absl::StatusOr<size_t> ChooseAnswer(const std::string& asked,
                                    const std::vector<ParentAnswer>& answers) {
  std::set<std::string> kinds;
  std::optional<size_t> best;
  for (size_t i = 0; i < answers.size(); ++i) {
    const ParentAnswer& answer = answers[i];
    if (absl::IsInvalidArgument(answer.status)) return answer.status;
    if (!answer.status.ok()) continue;
    kinds.insert(answer.resource);
    if (!best || answer.member.Holds(answer.uid)) best = i;
  }
  if (kinds.size() > 1) return AmbiguousName(asked, {kinds.begin(), kinds.end()});
  if (!best) return Nowhere(asked, answers);
  return *best;
}

absl::Status AmbiguousName(const std::string& asked, std::vector<std::string> kinds) {
  std::sort(kinds.begin(), kinds.end());
  return absl::InvalidArgumentError(
      absl::StrCat(asked, " exists in ", kinds.size(),
                   " kinds; name one of them: ", absl::StrJoin(kinds, " or ")));
}

std::string ResourceOf(const v1::ObjectRef& ref) {
  const v1::ResourceType& type = ref.type();
  return absl::StrCat(type.plural(), type.group().empty() ? "" : ".", type.group());
}

}  // namespace xebec::watcher
