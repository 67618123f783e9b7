// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Numbers for outputs that are answered. They grow and are never used twice.
struct Sequences {
  uint64_t last_message = 0;  ///< Of observations and plans.
  ReadId last_read = 0;

  bool operator==(const Sequences&) const = default;
};

enum class ReadPurpose {
  kInDoubt,  ///< The objects whose writes have an unknown outcome.
  kLists,    ///< The lists that the planner requested.
  kAll,      ///< Parent and children: the cache lags too long.
};

/// The object does not exist, or its kind does not.
inline constexpr int kHttpNotFound = 404;

/// One live read.
struct LiveRead {
  ReadId id = 0;
  ObjectRef ref;  ///< For a LiveGet; with an empty name for a LiveList of ref.type.
  bool done = false;
  bool failed = false;   ///< Has to be sent again.
  bool by_list = false;  ///< A LiveList is sent for a named object, because LiveGet fails.
  std::vector<std::pair<ObjectKey, StoredObject>> found = {};

  bool operator==(const LiveRead&) const = default;
};

/// Live reads that a reconcile waits for. A value.
class LiveReads {
 public:
  explicit LiveReads(ReadPurpose purpose = ReadPurpose::kAll, std::vector<ObjectRef> refs = {});

  /// Sends the reads that were never sent and those that failed, each under a new id. `limit`: of a
  /// list's pages.
  void Send(const CacheSet& cache, uint32_t limit, Sequences* sequences, Outputs* out);
  /// Takes an answer. False when no outstanding read has its id.
  bool Take(const LiveArrived& answer);
  /// Takes a failure: 404 counts as an answer without objects. False when no outstanding read has
  /// its id.
  bool Fail(const LiveFailed& failure);

  /// From now on the reads of single objects that have failed are sent as lists, which other rights
  /// cover: the watches prove that the kinds can be listed.
  void UseLists();
  /// Treats the failed reads of kinds that cannot be watched any more as answered without objects.
  void SkipUnavailable(const CacheSet& cache);

  ReadPurpose purpose() const { return purpose_; }
  bool done() const;
  const std::vector<LiveRead>& reads() const { return reads_; }
  /// The ids that answers may have.
  std::vector<ReadId> Outstanding() const;
  /// Reasons of changes that came before the reads, which the reads will show.
  std::vector<std::string> reasons;

  bool operator==(const LiveReads&) const = default;

 private:
  LiveRead* Find(ReadId id);

  ReadPurpose purpose_;
  std::vector<LiveRead> reads_;
};

}  // namespace xebec::watcher
