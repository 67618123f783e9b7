// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace xebec::gateway {

/// The latest answers of hooks, up to a limit in bytes; the least recently used go first. A value.
class AnswerCache {
 public:
  explicit AnswerCache(size_t limit_bytes) : limit_(limit_bytes) {}

  /// Returns the answer of this hook and revision to the request with this digest.
  std::optional<std::string> Find(uint64_t hook, const std::string& revision,
                                  const std::string& digest);

  /// Keeps an answer, unless it alone is larger than an eighth of the limit.
  void Keep(uint64_t hook, const std::string& revision, const std::string& digest,
            const std::string& answer);

  /// Drops the answer to the request with this digest.
  void Forget(uint64_t hook, const std::string& revision, const std::string& digest);

  /// Drops all answers of a hook.
  void Drop(uint64_t hook);

  size_t bytes() const { return bytes_; }
  size_t size() const { return answers_.size(); }

 private:
  using Key = std::tuple<uint64_t, std::string, std::string>;
  struct Entry {
    std::string answer;
    uint64_t used = 0;  ///< Key of by_use_.
  };
  using Entries = std::map<Key, Entry>;

  static size_t SizeOf(const Key& key, const Entry& entry);
  void Erase(Entries::iterator entry);

  const size_t limit_;
  size_t bytes_ = 0;
  uint64_t uses_ = 0;
  Entries answers_;
  std::map<uint64_t, Key> by_use_;
};

}  // namespace xebec::gateway
