// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "applier/engine/events/event_body.h"
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
  uint64_t occurrences = 1;  ///< The number of occurrences that it writes.
  bool warning = false;
  int attempts = 0;                                   ///< The number of failures.
  absl::Duration waits_since = absl::ZeroDuration();  ///< Monotonic; in a queue.
};

/// Publishes facts as events.k8s.io/v1 Events. The name of the Event derives from the parent and
/// the fact alone. So all appliers count the same fact in one Event: the first occurrence creates
/// it, each later one adds to the count of its series, at most one update in kPatchInterval. The
/// Event records the ids of its latest kRemembered reconciles, and each of them counts once: also
/// if two appliers carry out the same plan, and if the answer to a write of the Event is lost. A
/// value; bounded: beyond `capacity` the series whose last occurrence is oldest is forgotten.
class EventSeries {
 public:
  static constexpr absl::Duration kSeriesLife = absl::Minutes(6);
  static constexpr absl::Duration kPatchInterval = absl::Seconds(30);
  static constexpr size_t kRemembered = 8;

  explicit EventSeries(EventSource source, size_t capacity = 4096)
      : source_(std::move(source)), capacity_(capacity) {}

  /// Takes a fact about the parent of `plan`. Returns the request to send now, if any.
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
    std::shared_ptr<const kube::ApiRequest> create;  // of the Event; null if nothing is pending
    bool warning = false;
    std::vector<std::string> reconciles;  // of the latest occurrences; the pending ones are last
    uint64_t seen = 1;                    // occurrences
    uint64_t pending = 1;                 // occurrences that are not written yet
    uint64_t age = 0;                     // key in ages_
    bool in_flight = false;
    Instant last_seen, last_written;
  };

  std::optional<EventRequest> Begin(const std::string& name, const Envelope& plan,
                                    const EventFact& fact, const Instant& now);
  std::shared_ptr<const kube::ApiRequest> Create(const Envelope& plan, const EventFact& fact,
                                                 const Instant& now) const;
  static std::vector<std::string> PendingReconciles(const Series& series);
  static void RemoveCounted(const LiveEvent& event, Series* series);
  EventRequest Learn(const std::string& name, Series* series, const Instant& now) const;
  std::optional<EventRequest> Count(const EventRequest& request, const kube::ApiResponse& response,
                                    Series* series) const;
  EventRequest CreateAgain(const std::string& name, Series* series) const;
  static void Written(uint64_t occurrences, Series* series);
  void Touch(const std::string& name, Series* series);
  void MakeRoom();

  EventSource source_;
  size_t capacity_;
  std::map<std::string, Series> series_;  // by the name of the Event
  std::map<uint64_t, std::string> ages_;  // names of all series; the oldest occurrence is first
  uint64_t next_age_ = 0;
};

}  // namespace xebec::applier
