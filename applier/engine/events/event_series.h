// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

namespace xebec::applier {

/// Who reports events.
struct EventSource {
  std::string controller = "xebec.dev/applier";
  std::string instance;  ///< Pod or host name, 1–128 characters.
};

/// One event to publish or to count up.
struct EventRequest {
  std::string name;  ///< Of the Event object.
  kube::ApiRequest request;
};

/// Turns facts into events.k8s.io/v1 requests: the first of a kind is a POST; the same fact on the
/// same parent within six minutes counts the series of that event up through a PATCH, at most one
/// in `kPatchInterval`. A value; bounded: beyond `capacity` the series that was seen longest ago is
/// forgotten (its next occurrence is a new event).
class EventSeries {
 public:
  static constexpr absl::Duration kSeriesLife = absl::Minutes(6);
  static constexpr absl::Duration kPatchInterval = absl::Seconds(30);

  explicit EventSeries(EventSource source, size_t capacity = 4096)
      : source_(std::move(source)), capacity_(capacity) {}

  /// Takes a fact that `plan` earned for its parent; returns what to send now, if anything. A plan
  /// that is carried out twice earns it once.
  std::vector<EventRequest> Record(const Envelope& plan, const EventFact& fact, const Instant& now);
  /// Counts that became due, and the last counts of series that ended. Call it every few seconds.
  std::vector<EventRequest> Tick(const Instant& now);
  /// The API server no longer has (or never got) the Event of that name: its series is forgotten.
  void Forget(const std::string& name);

  size_t size() const { return series_.size(); }

 private:
  using Key = std::tuple<std::string, bool, std::string, std::string, std::string>;
  struct Series {
    std::string name, ns;
    std::string pass;  // that earned it last
    uint64_t count = 1;
    uint64_t written = 1;
    Instant last_seen, last_written;
  };

  EventRequest Patch(Series* series, const Instant& now) const;
  void MakeRoom();

  EventSource source_;
  size_t capacity_;
  std::map<Key, Series> series_;
};

}  // namespace xebec::applier
