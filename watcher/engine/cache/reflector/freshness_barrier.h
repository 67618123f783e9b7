// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/assignment.h"
#include "common/model/bucket.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/lists/list_run.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What a cache must contain.
struct FreshnessRequired {
  absl::Duration since;  ///< What was written before (monotonic), unless `version` tells.
  /// Set for a statement: all that this version of the resource shows. Empty if nothing is stated
  /// of the resource.
  std::optional<std::string> version = {};
  /// The buckets that were acquired. Null if no bucket was.
  const BucketSet* buckets = nullptr;
};

/// What all caches must contain because buckets were acquired. Valid as long as what it refers to.
struct FreshnessNeeded {
  absl::Duration since;
  const BucketSet& buckets;
  const SeenVersions* stated = nullptr;  ///< What the holders before had seen, if they stated it.
};

/// Proves that a cache holds everything that was written before a time. It requests one page of a
/// list, whose version is the barrier: a watch that passes it has shown everything older. The
/// caller sends the requests. A value.
class FreshnessBarrier {
 public:
  enum class Next {
    kNothing,
    kAsk,          ///< Request the page, perhaps again.
    kReopenWatch,  ///< With kWatchTimeout: servers send a bookmark before a watch times out.
    kList,         ///< Only a list can prove it.
  };
  static constexpr absl::Duration kWatchTimeout = absl::Seconds(3);

  /// fresh_since() has to become at least `required.since`, or, for a statement, seen_since().
  void Require(const FreshnessRequired& required, absl::Duration now);
  /// What a statement of that time requires is shown already. Returns false, and does nothing, if
  /// something earlier is not.
  bool Meet(absl::Duration since);
  /// Returns true if a page must be requested, as soon as it can be.
  bool needed() const;
  /// The page was requested: it is the first page of `list`. `tries` requests have failed before.
  void Ask(ListRun list, uint32_t tries);
  /// The page arrived and is the whole list. Ends the barrier and returns the list. Requires
  /// asked().
  ListRun TakeList();
  /// The page arrived and more pages follow. Requires asked().
  void OnVersion(const std::string& version, absl::Duration now);
  /// The request failed. It is repeated after a pause of at least `at_least`. Requires asked().
  void OnFailed(absl::Duration now, absl::Duration at_least, const Backoff& backoff, uint64_t seed);
  /// due() has come.
  Next OnTick(absl::Duration now);
  /// The cache has seen everything up to `watermark`.
  void Pass(const std::string& watermark);
  /// A list that began at that time was taken over.
  void OnListed(absl::Duration began);
  /// Forgets the request and its answer. Returns how many requests have failed.
  uint32_t Drop();

  /// The cache holds everything that was written before this time.
  absl::Duration fresh_since() const { return fresh_since_; }
  /// The cache meets the statements that were required until this time: it shows the stated
  /// versions, and it is fresh where nothing is stated.
  absl::Duration seen_since() const { return std::max(seen_since_, fresh_since_); }
  bool open() const { return request_.has_value(); }
  /// Returns true while the request has no answer.
  bool asked() const { return stream() != 0; }
  /// The stream of the request; 0 for none.
  StreamId stream() const { return request_ && request_->sent ? request_->list.stream() : 0; }
  /// Returns true if the page was requested with a shard selector.
  bool selecting() const { return request_ && request_->list.selecting(); }
  /// When OnTick is due; InfiniteDuration for never.
  absl::Duration due() const {
    return std::min(request_ ? request_->due : absl::InfiniteDuration(),
                    stated_ ? stated_->due : absl::InfiniteDuration());
  }

  bool operator==(const FreshnessBarrier&) const = default;

 private:
  struct Request {
    ListRun list;              // it is one if everything fits on its page
    bool sent = true;          // and not answered
    std::string version = {};  // empty: not answered
    absl::Duration due = absl::InfiniteDuration();
    uint32_t tries = 0;  // requests that failed, then watches that were reopened
    bool operator==(const Request&) const = default;
  };

  /// A version that the watch has not shown yet.
  struct Stated {
    std::string version;
    absl::Duration since;
    absl::Duration due;    // when a page of a list has to prove what the watch does not show
    bool overdue = false;  // it has to
    bool operator==(const Stated&) const = default;
  };

  absl::Duration fresh_since_ = -absl::InfiniteDuration();
  absl::Duration seen_since_ = -absl::InfiniteDuration();
  absl::Duration unstated_ = -absl::InfiniteDuration();  // the last statement without a version
  std::optional<Stated> stated_;
  absl::Duration wanted_ = -absl::InfiniteDuration();  // of fresh_since_
  std::optional<Request> request_;
};

}  // namespace xebec::watcher
