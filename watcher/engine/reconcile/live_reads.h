// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// The numbers of outputs that have answers. They increase and are never reused.
struct Sequences {
  uint64_t last_message = 0;  ///< Of observations and plans.
  ReadId last_read = 0;

  bool operator==(const Sequences&) const = default;
};

enum class ReadPurpose {
  kInDoubt,  ///< The objects of in-doubt writes.
  kLists,    ///< The lists that the planner requested.
  kEvents,   ///< The Warning Events of the objects that the planner named.
  kAll,      ///< Parent and children, because the cache lags too long.
};

/// The object or its kind does not exist.
inline constexpr int kHttpNotFound = 404;

/// One live read.
struct LiveRead {
  ReadId id = 0;
  /// The object of a LiveGet, or the type of a LiveList if the name is empty. With kEvents, the
  /// object whose Events are listed.
  ObjectRef ref;
  bool done = false;
  bool failed = false;     ///< True if it must be sent again.
  bool forbidden = false;  ///< True if the last attempt was answered with 403.
  bool by_list = false;  ///< True if a LiveList reads a named object because LiveGet is forbidden.
  std::vector<std::pair<ObjectKey, StoredObject>> found = {};

  bool operator==(const LiveRead&) const = default;
};

/// The live reads that a reconcile waits for. A value.
class LiveReads {
 public:
  /// The resource whose objects are read with kEvents.
  static const ResourceType& EventType();

  explicit LiveReads(ReadPurpose purpose = ReadPurpose::kAll, std::vector<ObjectRef> refs = {});

  /// Sends the reads that were not sent yet and those that failed, each with a new id: an attempt.
  /// `limit` is the page size of lists. It is halved for each attempt in which a list broke off: a
  /// response may be too large or too slow.
  void Send(const CacheSet& cache, uint32_t limit, Sequences* sequences, Outputs* out);
  /// Takes an answer. Returns false if no outstanding read has its id.
  bool Take(const LiveArrived& answer);
  enum class Failure {
    kNotAwaited,  ///< No outstanding read has its id.
    kAbsent,      ///< The object or its kind does not exist: the read is done.
    kUnanswered,  ///< The planner decides without an answer: the read is done.
    kFailed,      ///< The read must be sent again.
  };
  Failure Fail(const LiveFailed& failure);

  /// Returns the time from the last failure until the reads that failed should be sent again. It
  /// grows with the attempts that failed, and respects Retry-After.
  absl::Duration RetryDelay(const Backoff& backoff, uint64_t seed) const;
  /// Returns true if so many attempts have failed that the run should begin again.
  bool exhausted() const;
  /// Treats failed reads of kinds that can no longer be watched as answered without objects. Once
  /// the reads are exhausted, forbidden reads of single objects are sent as lists: lists need other
  /// RBAC rules, which the watches prove to exist.
  void AdaptToFailures(const CacheSet& cache);

  ReadPurpose purpose() const { return purpose_; }
  bool done() const;
  /// Returns true if the reads were sent at least once.
  bool sent() const { return !reads_.empty() && reads_.front().id != 0; }
  const std::vector<LiveRead>& reads() const { return reads_; }
  /// Returns the ids of outstanding reads, without those that were not sent yet.
  std::vector<ReadId> Outstanding() const;
  /// The reasons of changes that arrived before the reads; the reads will show these changes.
  std::vector<std::string> reasons;

  bool operator==(const LiveReads&) const = default;

 private:
  /// What failed since the last Send.
  struct Attempt {
    bool failed = false;
    bool broke_off = false;
    absl::Duration retry_after;
    bool operator==(const Attempt&) const = default;
  };

  LiveRead* Find(ReadId id);
  void Count(const ApiFailure& failure, const LiveRead& read);

  ReadPurpose purpose_;
  std::vector<LiveRead> reads_;
  Attempt attempt_;
  uint32_t failures_ = 0;    // attempts
  uint32_t broken_off_ = 0;  // attempts
};

}  // namespace xebec::watcher
