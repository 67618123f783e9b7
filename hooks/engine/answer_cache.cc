// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/answer_cache.h"

namespace xebec::gateway {
namespace {

/// What an entry takes besides its strings.
constexpr size_t kOverhead = 256;
/// One answer must not displace most others.
constexpr size_t kMostShare = 8;

}  // namespace

size_t AnswerCache::SizeOf(const Key& key, const Entry& entry) {
  return kOverhead + 2 * (std::get<1>(key).size() + std::get<2>(key).size()) + entry.answer.size();
}

std::optional<std::string> AnswerCache::Find(uint64_t hook, const std::string& revision,
                                             const std::string& digest) {
  const auto found = answers_.find({hook, revision, digest});
  if (found == answers_.end()) return std::nullopt;
  by_use_.erase(found->second.used);
  found->second.used = ++uses_;
  by_use_.emplace(uses_, found->first);
  return found->second.answer;
}

void AnswerCache::Keep(uint64_t hook, const std::string& revision, const std::string& digest,
                       const std::string& answer) {
  const Key key{hook, revision, digest};
  const Entry entry{answer, uses_ + 1};
  const size_t size = SizeOf(key, entry);
  if (size > limit_ / kMostShare) return;
  if (const auto old = answers_.find(key); old != answers_.end()) Erase(old);
  while (bytes_ + size > limit_ && !by_use_.empty()) Erase(answers_.find(by_use_.begin()->second));
  by_use_.emplace(++uses_, key);
  answers_.emplace(key, entry);
  bytes_ += size;
}

void AnswerCache::Forget(uint64_t hook, const std::string& revision, const std::string& digest) {
  if (const auto old = answers_.find({hook, revision, digest}); old != answers_.end()) Erase(old);
}

void AnswerCache::Drop(uint64_t hook) {
  auto entry = answers_.lower_bound({hook, "", ""});
  while (entry != answers_.end() && std::get<0>(entry->first) == hook) Erase(entry++);
}

void AnswerCache::Erase(Entries::iterator entry) {
  bytes_ -= SizeOf(entry->first, entry->second);
  by_use_.erase(entry->second.used);
  answers_.erase(entry);
}

}  // namespace xebec::gateway
