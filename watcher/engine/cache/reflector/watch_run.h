// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "watcher/engine/cache/reflector/reflector_context.h"
#include "watcher/engine/cache/reflector/resource_spec.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// A watch that was opened, and what its age says about its end. A value.
class WatchRun {
 public:
  enum class End {
    kAtOnce,  ///< It said nothing: a new watch would probably end too.
    kEarly,   ///< Before its timeout: the API server restarts, or the CRD has changed.
    kInTime,
  };

  /// `began` is the current time (monotonic).
  /// `selecting` is true if it was requested with a shard selector.
  WatchRun(StreamId stream, absl::Duration began, absl::Duration timeout, bool selecting = false)
      : stream_(stream), began_(began), timeout_(timeout), selecting_(selecting) {}

  /// An event arrived.
  void Hear() { heard_ = true; }
  /// Judges an end without a failure.
  End EndsAt(absl::Duration now) const;
  /// Returns true if it brought events and has lasted for a while.
  bool Healthy(absl::Duration now) const;
  StreamId stream() const { return stream_; }
  bool selecting() const { return selecting_; }

  bool operator==(const WatchRun&) const = default;

 private:
  StreamId stream_;
  absl::Duration began_;
  absl::Duration timeout_;
  bool selecting_;
  bool heard_ = false;
};

/// Returns the timeout of a watch: 70 % to 100 % of the policy's. It is different for each stream,
/// because watches that begin together must not end together.
absl::Duration WatchTimeout(const ResourceSpec& spec, const ReflectorPolicy& policy,
                            StreamId stream);

}  // namespace xebec::watcher
