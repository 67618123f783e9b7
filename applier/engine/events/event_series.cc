// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_series.h"

#include <algorithm>
#include <utility>

namespace xebec::applier {
namespace {

bool Succeeded(const kube::ApiResponse& response) {
  return response.error == kube::TransportError::kNone && response.status >= 200 &&
         response.status < 300;
}

bool Contains(const auto& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void KeepLast(size_t count, std::vector<std::string>* list) {
  if (list->size() <= count) return;
  list->erase(list->begin(), list->end() - static_cast<ptrdiff_t>(count));
}

}  // namespace

void EventSeries::MakeRoom() {
  if (!ages_.empty() && series_.size() >= capacity_) Forget(std::string(ages_.begin()->second));
}

/// Makes the series the youngest.
void EventSeries::Touch(const std::string& name, Series* series) {
  ages_.erase(series->age);
  series->age = next_age_++;
  ages_.emplace(series->age, name);
}

std::shared_ptr<const kube::ApiRequest> EventSeries::Create(const Envelope& plan,
                                                            const EventFact& fact,
                                                            const Instant& now) const {
  return std::make_shared<const kube::ApiRequest>(
      CreateEventRequest(plan, fact, source_.controller, source_.instance, now.wall));
}

std::optional<EventRequest> EventSeries::Begin(const std::string& name, const Envelope& plan,
                                               const EventFact& fact, const Instant& now) {
  MakeRoom();
  Series series{.ns = EventNamespace(plan.parent),
                .create = Create(plan, fact, now),
                .warning = fact.warning,
                .reconciles = {plan.reconcile_id},
                .age = next_age_++,
                .in_flight = true,
                .last_seen = now,
                .last_written = now};
  ages_.emplace(series.age, name);
  const auto& added = series_.emplace(name, std::move(series)).first->second;
  return EventRequest{.name = name, .request = *added.create, .warning = fact.warning};
}

std::optional<EventRequest> EventSeries::Record(const Envelope& plan, const EventFact& fact,
                                                const Instant& now) {
  const std::string name = EventName(plan.parent, fact);
  const auto found = series_.find(name);
  if (found == series_.end()) return Begin(name, plan, fact, now);
  Series& series = found->second;
  if (!plan.reconcile_id.empty() && Contains(series.reconciles, plan.reconcile_id)) {
    return std::nullopt;
  }
  if (series.pending == 0) {
    series.create = Create(plan, fact, now);
  }
  series.reconciles.push_back(plan.reconcile_id);
  KeepLast(kRemembered, &series.reconciles);
  ++series.seen;
  ++series.pending;
  series.last_seen = now;
  Touch(name, &series);
  const bool due =
      series.seen == 2 || now.monotonic - series.last_written.monotonic >= kPatchInterval;
  if (!due || series.in_flight) return std::nullopt;
  return Learn(name, &series, now);
}

/// Frees the request that creates the Event as soon as it is not needed: the requests would be most
/// of the memory of all series.
void EventSeries::Written(uint64_t occurrences, Series* series) {
  series->pending -= std::min(series->pending, occurrences);
  if (series->pending == 0) series->create.reset();
}

/// Those that are remembered.
std::vector<std::string> EventSeries::PendingReconciles(const Series& series) {
  const size_t count = std::min<size_t>(series.pending, series.reconciles.size());
  return {series.reconciles.end() - static_cast<ptrdiff_t>(count), series.reconciles.end()};
}

/// Removes the pending occurrences that the Event counts already.
void EventSeries::RemoveCounted(const LiveEvent& event, Series* series) {
  const auto pending = static_cast<ptrdiff_t>(PendingReconciles(*series).size());
  const auto begin = series->reconciles.end() - pending;
  const auto rest = std::stable_partition(
      begin, series->reconciles.end(),
      [&](const std::string& reconcile) { return Contains(event.reconciles, reconcile); });
  Written(static_cast<uint64_t>(rest - begin), series);
}

EventRequest EventSeries::Learn(const std::string& name, Series* series, const Instant& now) const {
  series->in_flight = true;
  series->last_written = now;
  return {.name = name,
          .request = LearnEventRequest(series->ns, name),
          .kind = EventRequest::Kind::kLearn,
          .warning = series->warning};
}

/// Adds the pending occurrences to the count that the Event has in the API server, which other
/// appliers may have raised.
std::optional<EventRequest> EventSeries::Count(const EventRequest& request,
                                               const kube::ApiResponse& response,
                                               Series* series) const {
  std::optional<LiveEvent> event = ReadEvent(response.body);
  if (!event) return std::nullopt;
  RemoveCounted(*event, series);
  if (series->pending == 0) return std::nullopt;
  event->count += series->pending;
  for (std::string& id : PendingReconciles(*series)) event->reconciles.push_back(std::move(id));
  KeepLast(kRemembered, &event->reconciles);
  series->in_flight = true;
  return EventRequest{
      .name = request.name,
      .request = CountEventRequest(series->ns, request.name, *event, series->last_seen.wall),
      .kind = EventRequest::Kind::kCount,
      .occurrences = series->pending,
      .warning = series->warning};
}

EventRequest EventSeries::CreateAgain(const std::string& name, Series* series) const {
  series->in_flight = true;
  const std::vector<std::string> pending = PendingReconciles(*series);
  const std::string reconcile = pending.empty() ? "" : pending.front();
  return {.name = name,
          .request = CreateAgainRequest(*series->create, reconcile, series->last_seen.wall),
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
    Written(request.occurrences, &series);
    return std::nullopt;
  }
  // Another applier, or this process before a restart, has created the Event.
  if (response.status == 409 && request.kind == EventRequest::Kind::kCreate) {
    return Learn(request.name, &series, now);
  }
  // The API server has deleted the Event, because it was too old.
  const bool gone = response.status == 404 && request.kind != EventRequest::Kind::kCreate;
  if (gone && series.create != nullptr) {
    return CreateAgain(request.name, &series);
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
    const bool idle = over && series.pending == 0;
    if (idle) ages_.erase(series.age);
    it = idle ? series_.erase(it) : std::next(it);
  }
  return out;
}

void EventSeries::Forget(const std::string& name) {
  const auto found = series_.find(name);
  if (found == series_.end()) return;
  ages_.erase(found->second.age);
  series_.erase(found);
}

}  // namespace xebec::applier
