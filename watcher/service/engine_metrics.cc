// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/engine_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace xebec::watcher {
namespace {

using telemetry::Family;
using telemetry::Labels;
using Families = std::vector<Family>;
using Type = Family::Type;

/// Collects one family over all controllers or resources.
template <typename Item>
class Table {
 public:
  Table(const std::vector<Item>& items, std::function<Labels(const Item&)> labels, Families* out)
      : items_(items), labels_(std::move(labels)), out_(out) {}

  /// An item with an infinite value has no sample.
  void Value(Type type, const char* name, const char* help,
             std::function<double(const Item&)> value) const {
    Family family{.type = type, .name = name, .help = help, .samples = {}, .distributions = {}};
    for (const Item& item : items_) {
      const double its = value(item);
      if (std::isfinite(its)) family.samples.push_back({labels_(item), its});
    }
    out_->push_back(std::move(family));
  }

  /// `counts` returns the Counts of an item, or a reference to them.
  template <typename Find>
  void ByName(Type type, const char* name, const char* help, const char* label,
              const Find& counts) const {
    Family family{.type = type, .name = name, .help = help, .samples = {}, .distributions = {}};
    for (const Item& item : items_) {
      for (const auto& [key, count] : counts(item)) {
        Labels labels = labels_(item);
        labels[label] = key;
        family.samples.push_back({std::move(labels), static_cast<double>(count)});
      }
    }
    out_->push_back(std::move(family));
  }

  void Durations(const char* name, const char* help, DurationHistogram Item::*histogram) const {
    Family family{
        .type = Type::kHistogram, .name = name, .help = help, .samples = {}, .distributions = {}};
    for (const Item& item : items_) {
      const DurationHistogram& from = item.*histogram;
      family.distributions.push_back(
          {labels_(item),
           {DurationHistogram::kBounds.begin(), DurationHistogram::kBounds.end()},
           {from.buckets.begin(), from.buckets.end()},
           from.sum_seconds});
    }
    out_->push_back(std::move(family));
  }

 private:
  const std::vector<Item>& items_;
  const std::function<Labels(const Item&)> labels_;
  Families* const out_;
};

using Controllers = Table<ControllerFigures>;
using Resources = Table<ResourceFigures>;
using Buckets = Table<LeadershipFigures>;
using C = ControllerFigures;
using R = ResourceFigures;

uint64_t Total(const Counts& counts) {
  uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

void AddReconciles(const Controllers& table) {
  table.ByName(Type::kCounter, "controller_runtime_reconcile_total", "Reconciles by result.",
               "result", [](const C& c) -> const Counts& { return c.reconciles; });
  table.Value(Type::kCounter, "controller_runtime_reconcile_errors_total",
              "Reconciles that failed.", [](const C& c) {
                const auto found = c.reconciles.find("error");
                return found == c.reconciles.end() ? 0.0 : static_cast<double>(found->second);
              });
  table.Value(Type::kCounter, "controller_runtime_terminal_reconcile_errors_total",
              "Reconciles that ended with an error that only the user can correct.",
              [](const C& c) { return double(c.invalid); });
  table.Value(Type::kCounter, "controller_runtime_reconcile_timeouts_total",
              "Reconciles whose plan or report timed out.",
              [](const C& c) { return double(c.timeouts); });
  table.Durations("controller_runtime_reconcile_time_seconds",
                  "Time in seconds from the observation to the report.", &C::reconcile_seconds);
  table.Value(Type::kGauge, "controller_runtime_max_concurrent_reconciles",
              "Plans that the connected appliers accept at once, for all controllers.",
              [](const C& c) { return double(c.most_at_once); });
  table.Value(Type::kGauge, "controller_runtime_active_workers", "Reconciles in progress.",
              [](const C& c) { return double(c.active); });
}

void AddQueues(const Controllers& table) {
  table.Value(Type::kGauge, "workqueue_depth", "Parents in the queue.",
              [](const C& c) { return double(Total(c.queue_depth)); });
  table.Value(Type::kCounter, "workqueue_adds_total", "Parents added to the queue.",
              [](const C& c) { return double(c.queue_adds); });
  table.Value(Type::kCounter, "workqueue_retries_total",
              "Parents added to the queue after a failure.",
              [](const C& c) { return double(c.queue_retries); });
  table.Durations("workqueue_queue_duration_seconds",
                  "Time in seconds that a parent waits in the queue.", &C::queue_seconds);
  table.Durations("workqueue_work_duration_seconds",
                  "Time in seconds from leaving the queue to the end of the reconcile.",
                  &C::work_seconds);
  table.Value(Type::kGauge, "workqueue_unfinished_work_seconds",
              "Sum of the ages in seconds of all reconciles in progress.",
              [](const C& c) { return absl::ToDoubleSeconds(c.unfinished); });
  table.Value(Type::kGauge, "workqueue_longest_running_processor_seconds",
              "Age in seconds of the oldest reconcile in progress.",
              [](const C& c) { return absl::ToDoubleSeconds(c.longest_running); });
}

void AddSingle(Families* out, Type type, const char* name, const char* help, double value,
               Labels labels = {}) {
  out->push_back({.type = type,
                  .name = name,
                  .help = help,
                  .samples = {{std::move(labels), value}},
                  .distributions = {}});
}

void AddBuckets(const Buckets& table) {
  using L = LeadershipFigures;
  table.Value(Type::kGauge, "leader_election_master_status",
              "1 while this process leads any bucket, else 0.",
              [](const L& l) { return l.leads ? 1.0 : 0.0; });
}

void AddMoves(const Buckets& table) {
  table.ByName(Type::kCounter, "xebec_bucket_moves_total",
               "Buckets that this watcher gained, yielded to another watcher, or lost.",
               "direction", [](const LeadershipFigures& l) -> const Counts& { return l.moves; });
}

void AddLeadership(const LeadershipFigures& leadership, Families* out) {
  AddBuckets(Buckets(
      {leadership},
      [](const LeadershipFigures&) {
        return Labels{{"name", "buckets"}};
      },
      out));
  AddMoves(Buckets(
      {leadership}, [](const LeadershipFigures&) { return Labels{}; }, out));
  AddSingle(out, Type::kGauge, "xebec_buckets_held", "Buckets that this watcher holds.",
            leadership.held);
  AddSingle(out, Type::kGauge, "xebec_buckets_unassigned",
            "Buckets that no watcher with a valid Lease holds, as this watcher sees it.",
            leadership.unassigned);
  AddSingle(out, Type::kGauge, "xebec_watchers",
            "Watchers that hold a member Lease, as this watcher sees it.", leadership.watchers);
  AddSingle(out, Type::kGauge, "xebec_watchers_differing",
            "Watchers with other kinds, namespaces or hooks than this one, as it sees them.",
            leadership.differing);
  AddSingle(out, Type::kGauge, "xebec_buckets",
            "Buckets that the parents are divided into, as this watcher is configured.",
            leadership.buckets);
}

void AddOwn(const Controllers& table) {
  table.Value(Type::kGauge, "xebec_parents", "Parents in the cache.",
              [](const C& c) { return double(c.keys); });
  table.ByName(Type::kCounter, "xebec_plans_total", "Plans by result.", "result",
               [](const C& c) -> const Counts& { return c.plans; });
  table.ByName(Type::kCounter, "xebec_outcomes_total", "Outcomes of operations by code.", "code",
               [](const C& c) -> const Counts& { return c.outcomes; });
  // The alert XebecPlansRefused needs the series `not_owned` before the first refusal: Prometheus
  // sees no increase in a counter that begins with 1.
  table.ByName(Type::kCounter, "xebec_plans_refused_total",
               "Plans and operations that the watcher refused, by reason.", "reason",
               [](const C& c) {
                 Counts refused = c.refused;
                 refused.try_emplace("not_owned");
                 return refused;
               });
  table.Value(Type::kCounter, "xebec_plan_stale_total", "Plans whose preconditions failed.",
              [](const C& c) { return double(c.stale); });
  table.Value(Type::kCounter, "xebec_cache_sync_waits_total",
              "Reconciles that waited for the cache to show their own writes.",
              [](const C& c) { return double(c.gate_waits); });
  table.Value(Type::kCounter, "xebec_cache_sync_timeouts_total",
              "Waits for the cache that ended in live reads.",
              [](const C& c) { return double(c.gate_timeouts); });
  table.Value(Type::kGauge, "xebec_cache_sync_waiting",
              "Parents that wait for the cache to show their own writes.",
              [](const C& c) { return double(c.waiting_for_cache); });
  table.Value(Type::kCounter, "xebec_reports_unknown_total", "Plans whose report did not arrive.",
              [](const C& c) { return double(c.unknown_reports); });
  table.Value(Type::kCounter, "xebec_deletions_deferred_total",
              "Deletions that the deletion budget deferred.",
              [](const C& c) { return double(c.deletions_deferred); });
  table.Value(Type::kCounter, "xebec_writes_slowed_total",
              "Writes that were delayed because their parent was in a write loop.",
              [](const C& c) { return double(c.slowed_writes); });
  table.ByName(Type::kGauge, "xebec_missing_subresources",
               "1 for each expected subresource that the CRD does not serve.", "subresource",
               [](const C& c) -> const Counts& { return c.missing_subresources; });
  table.Durations("xebec_cache_sync_wait_seconds",
                  "Time in seconds until the cache shows a reconcile's own writes.",
                  &C::gate_seconds);
  table.Durations("xebec_end_to_end_seconds",
                  "Time in seconds from a change to the report on its plan.",
                  &C::end_to_end_seconds);
}

void AddHooks(const Controllers& table) {
  table.ByName(Type::kCounter, "xebec_operator_calls_total", "Calls of the hook by result.",
               "result", [](const C& c) -> const Counts& { return c.hook_calls; });
  table.Durations("xebec_operator_call_duration_seconds",
                  "Time in seconds from a call of the hook to the answer of the gateway.",
                  &C::hook_seconds);
  table.Value(Type::kGauge, "xebec_operator_hook_available",
              "1 while the hook can be called, else 0.",
              [](const C& c) { return c.hook_available ? 1.0 : 0.0; });
  table.Value(Type::kGauge, "xebec_operator_breaker_open",
              "1 while the circuit breaker stops the calls of the hook, else 0.",
              [](const C& c) { return c.hook_open ? 1.0 : 0.0; });
  table.Value(Type::kGauge, "xebec_operator_call_limit",
              "Calls of the hook that may be under way at once.",
              [](const C& c) { return double(c.hook_limit); });
  table.Value(Type::kGauge, "xebec_operator_parents_asked",
              "Parents that wait for an answer of the hook.",
              [](const C& c) { return double(c.hook_asked); });
  table.Value(Type::kGauge, "xebec_operator_parents_waiting",
              "Parents in the queue that wait until the hook may be called.",
              [](const C& c) { return double(c.hook_waiting); });
}

std::vector<C> DeclaredOf(const std::vector<C>& all) {
  std::vector<C> declared;
  std::copy_if(all.begin(), all.end(), std::back_inserter(declared),
               [](const C& c) { return c.declared; });
  return declared;
}

void AddReflectors(const Resources& table) {
  table.Value(Type::kGauge, "xebec_reflector_objects", "Objects in the cache.",
              [](const R& r) { return double(r.objects); });
  table.Value(Type::kGauge, "xebec_reflector_synced",
              "1 when the initial list is complete, else 0.",
              [](const R& r) { return r.synced ? 1.0 : 0.0; });
  table.Value(Type::kGauge, "xebec_reflector_lag_seconds",
              "Time in seconds since the last event or bookmark.",
              [](const R& r) { return absl::ToDoubleSeconds(r.since_last_event); });
  table.Value(Type::kCounter, "xebec_reflector_events_total", "Watch events received.",
              [](const R& r) { return double(r.events); });
  table.ByName(Type::kCounter, "xebec_reflector_relists_total", "Lists by reason.", "reason",
               [](const R& r) -> const Counts& { return r.relists; });
  table.ByName(Type::kCounter, "xebec_watch_errors_total", "Failed lists and watches by code.",
               "code", [](const R& r) -> const Counts& { return r.errors; });
}

}  // namespace

std::vector<Family> EngineFamilies(const EngineFigures& figures) {
  Families out;
  const Controllers controllers(
      figures.controllers,
      [](const C& c) {
        return Labels{{"controller", c.controller}, {"name", c.controller}};
      },
      &out);
  AddReconciles(controllers);
  AddQueues(controllers);
  AddOwn(controllers);
  AddReflectors(Resources(
      figures.resources,
      [](const R& r) {
        Labels labels = {{"resource", ResourceName(r.type)}};
        if (!r.ns.empty()) labels["watch_namespace"] = r.ns;
        return labels;
      },
      &out));
  if (figures.hooks) {
    AddHooks(Controllers(
        DeclaredOf(figures.controllers),
        [](const C& c) {
          return Labels{{"operator", c.controller}};
        },
        &out));
    AddSingle(&out, Type::kGauge, "xebec_gateway_credits",
              "Calls of hooks that the connected gateways accept at once.", figures.hook_credits);
  }
  AddLeadership(figures.leadership, &out);
  AddSingle(&out, Type::kGauge, "xebec_planner_credits",
            "Observations that the connected planners accept at once.", figures.planner_credits);
  AddSingle(&out, Type::kGauge, "xebec_applier_credits",
            "Plans that the connected appliers accept at once.", figures.applier_credits);
  AddSingle(&out, Type::kGauge, "xebec_plans_waiting", "Plans that wait for an applier.",
            figures.plans_waiting);
  return out;
}

}  // namespace xebec::watcher
