// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/events/event_series.h"

#include <algorithm>

#include "applier/engine/events/event_body.h"

namespace xebec::applier {

EventRequest EventSeries::Patch(Series* series, const Instant& now) const {
  series->written = series->count;
  series->last_written = now;
  return {series->name,
          CountEventRequest(series->ns, series->name, series->count, series->last_seen.wall)};
}

void EventSeries::MakeRoom() {
  if (series_.size() < capacity_) return;
  const auto oldest =
      std::min_element(series_.begin(), series_.end(), [](const auto& a, const auto& b) {
        return a.second.last_seen.monotonic < b.second.last_seen.monotonic;
      });
  if (oldest != series_.end()) series_.erase(oldest);
}

std::vector<EventRequest> EventSeries::Record(const Envelope& plan, const EventFact& fact,
                                              const Instant& now) {
  const Key key{plan.parent.uid, fact.warning, fact.reason, fact.action, fact.note};
  const auto found = series_.find(key);
  const bool alive =
      found != series_.end() && now.monotonic - found->second.last_seen.monotonic < kSeriesLife;
  if (!alive) {
    std::vector<EventRequest> out;
    if (found != series_.end()) {
      if (found->second.count > found->second.written) out.push_back(Patch(&found->second, now));
      series_.erase(found);
    }
    MakeRoom();
    Series series{.name = EventName(plan, fact, now.wall),
                  .ns = EventNamespace(plan.parent),
                  .pass = plan.reconcile_id,
                  .last_seen = now,
                  .last_written = now};
    out.push_back({series.name,
                   CreateEventRequest(plan, fact, source_.controller, source_.instance, now.wall)});
    series_[key] = std::move(series);
    return out;
  }
  Series& series = found->second;
  if (!plan.reconcile_id.empty() && series.pass == plan.reconcile_id) return {};
  series.pass = plan.reconcile_id;
  ++series.count;
  series.last_seen = now;
  const bool due =
      series.count == 2 || now.monotonic - series.last_written.monotonic >= kPatchInterval;
  if (!due) return {};
  return {Patch(&series, now)};
}

std::vector<EventRequest> EventSeries::Tick(const Instant& now) {
  std::vector<EventRequest> out;
  for (auto it = series_.begin(); it != series_.end();) {
    Series& series = it->second;
    const bool over = now.monotonic - series.last_seen.monotonic >= kSeriesLife;
    const bool due = now.monotonic - series.last_written.monotonic >= kPatchInterval;
    if (series.count > series.written && (over || due)) out.push_back(Patch(&series, now));
    it = over ? series_.erase(it) : std::next(it);
  }
  return out;
}

void EventSeries::Forget(const std::string& name) {
  std::erase_if(series_, [&](const auto& entry) { return entry.second.name == name; });
}

}  // namespace xebec::applier
