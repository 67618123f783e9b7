// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

namespace xebec::applier {

/// The reporter of events.
struct EventSource {
  std::string controller = "xebec.dev/applier";
  std::string instance;  ///< Name of the Pod or host, 1–128 characters.
};

/// One request for an Event.
struct EventRequest {
  enum class Kind {
    kCreate,  ///< POST of a new Event.
    kLearn,   ///< Empty PATCH: returns the Event with its count and version.
    kCount,   ///< PATCH of the count, with the version as precondition.
  };
  std::string name;  ///< Of the Event object.
  kube::ApiRequest request;
  Kind kind = Kind::kCreate;
  uint64_t occurrences = 1;  ///< How many occurrences it writes.
  bool warning = false;
  int attempts = 0;  ///< How many times it has failed.
};

/// Publishes facts as events.k8s.io/v1 Events. The name of the Event derives from the parent and
/// the fact alone. So all appliers count the same fact in one Event: the first occurrence creates
/// it, each later one adds to the count of its series, at most one update in kPatchInterval. A
/// value; bounded: beyond `capacity` the series whose last occurrence is oldest is forgotten.
class EventSeries {
 public:
  static constexpr absl::Duration kSeriesLife = absl::Minutes(6);
  static constexpr absl::Duration kPatchInterval = absl::Seconds(30);

  explicit EventSeries(EventSource source, size_t capacity = 4096)
      : source_(std::move(source)), capacity_(capacity) {}

  /// Takes a fact about the parent of `plan`. Returns the request to send now, if any. A plan that
  /// is carried out twice counts once.
  std::optional<EventRequest> Record(const Envelope& plan, const EventFact& fact,
                                     const Instant& now);
  /// Takes the answer to a request. Returns the request that follows from it, if any.
  std::optional<EventRequest> OnAnswer(const EventRequest& request,
                                       const kube::ApiResponse& response, const Instant& now);
  /// Returns the requests for counts that are due. Called every few seconds.
  std::vector<EventRequest> Tick(const Instant& now);
  /// Forgets the series of an Event that could not be published.
  void Forget(const std::string& name);

  size_t size() const { return series_.size(); }

 private:
  struct Series {
    std::string ns;
    std::string reconcile;    // of the last occurrence
    kube::ApiRequest create;  // of the Event
    bool warning = false;
    uint64_t seen = 1;     // occurrences
    uint64_t pending = 1;  // occurrences that are not written yet
    bool in_flight = false;
    Instant last_seen, last_written;
  };

  EventRequest Learn(const std::string& name, Series* series, const Instant& now) const;
  std::optional<EventRequest> Count(const EventRequest& request, const kube::ApiResponse& response,
                                    Series* series) const;
  void MakeRoom();

  EventSource source_;
  size_t capacity_;
  std::map<std::string, Series> series_;  // by the name of the Event
};

}  // namespace xebec::applier
