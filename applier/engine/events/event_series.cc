// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_series.h"

#include <algorithm>

#include "applier/engine/events/event_body.h"
#include "common/base/json.h"

namespace xebec::applier {
namespace {

bool Succeeded(const kube::ApiResponse& response) {
  return response.error == kube::TransportError::kNone && response.status >= 200 &&
         response.status < 300;
}

}  // namespace

void EventSeries::MakeRoom() {
  if (series_.size() < capacity_) return;
  const auto oldest =
      std::min_element(series_.begin(), series_.end(), [](const auto& a, const auto& b) {
        return a.second.last_seen.monotonic < b.second.last_seen.monotonic;
      });
  if (oldest != series_.end()) series_.erase(oldest);
}

std::optional<EventRequest> EventSeries::Record(const Envelope& plan, const EventFact& fact,
                                                const Instant& now) {
  const std::string name = EventName(plan.parent, fact);
  const auto found = series_.find(name);
  if (found == series_.end()) {
    MakeRoom();
    Series series{
        .ns = EventNamespace(plan.parent),
        .reconcile = plan.reconcile_id,
        .create = CreateEventRequest(plan, fact, source_.controller, source_.instance, now.wall),
        .warning = fact.warning,
        .in_flight = true,
        .last_seen = now,
        .last_written = now};
    const auto& added = series_.emplace(name, std::move(series)).first->second;
    return EventRequest{.name = name, .request = added.create, .warning = fact.warning};
  }
  Series& series = found->second;
  if (!plan.reconcile_id.empty() && series.reconcile == plan.reconcile_id) return std::nullopt;
  series.reconcile = plan.reconcile_id;
  ++series.seen;
  ++series.pending;
  series.last_seen = now;
  const bool due =
      series.seen == 2 || now.monotonic - series.last_written.monotonic >= kPatchInterval;
  if (!due || series.in_flight) return std::nullopt;
  return Learn(name, &series, now);
}

EventRequest EventSeries::Learn(const std::string& name, Series* series, const Instant& now) const {
  series->in_flight = true;
  series->last_written = now;
  return {.name = name,
          .request = LearnEventRequest(series->ns, name),
          .kind = EventRequest::Kind::kLearn,
          .warning = series->warning};
}

/// The count that the Event has in the API server, which other appliers may have raised, and ours.
std::optional<EventRequest> EventSeries::Count(const EventRequest& request,
                                               const kube::ApiResponse& response,
                                               Series* series) const {
  const absl::StatusOr<Json> event = ParseJson(response.body);
  if (!event.ok() || series->pending == 0) return std::nullopt;
  const int64_t known = FindInt(*event, {"series", "count"}).value_or(1);
  const auto count = static_cast<uint64_t>(std::max<int64_t>(known, 1)) + series->pending;
  series->in_flight = true;
  return EventRequest{
      .name = request.name,
      .request = CountEventRequest(series->ns, request.name, count, series->last_seen.wall,
                                   FindString(*event, {"metadata", "resourceVersion"})),
      .kind = EventRequest::Kind::kCount,
      .occurrences = series->pending,
      .warning = series->warning};
}

std::optional<EventRequest> EventSeries::OnAnswer(const EventRequest& request,
                                                  const kube::ApiResponse& response,
                                                  const Instant& now) {
  const auto found = series_.find(request.name);
  if (found == series_.end()) return std::nullopt;
  Series& series = found->second;
  series.in_flight = false;
  if (Succeeded(response)) {
    if (request.kind == EventRequest::Kind::kLearn) return Count(request, response, &series);
    series.pending -= std::min(series.pending, request.occurrences);
    return std::nullopt;
  }
  // Another applier, or this process before a restart, has created the Event.
  if (response.status == 409 && request.kind == EventRequest::Kind::kCreate) {
    return Learn(request.name, &series, now);
  }
  // The API server has deleted the Event, because it was too old.
  if (response.status == 404 && request.kind != EventRequest::Kind::kCreate) {
    series.in_flight = true;
    return EventRequest{.name = request.name, .request = series.create, .warning = series.warning};
  }
  return std::nullopt;  // Tick tries to write the count again
}

std::vector<EventRequest> EventSeries::Tick(const Instant& now) {
  std::vector<EventRequest> out;
  for (auto it = series_.begin(); it != series_.end();) {
    Series& series = it->second;
    const bool over = now.monotonic - series.last_seen.monotonic >= kSeriesLife;
    const bool due = now.monotonic - series.last_written.monotonic >= kPatchInterval;
    if (series.pending > 0 && !series.in_flight && (over || due)) {
      out.push_back(Learn(it->first, &series, now));
    }
    it = over && series.pending == 0 ? series_.erase(it) : std::next(it);
  }
  return out;
}

void EventSeries::Forget(const std::string& name) { series_.erase(name); }

}  // namespace xebec::applier
