// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/reconcile/reconcile_run.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/fake_services.h"

namespace xebec::watcher::testing {

/// The components around one key, without an Engine: a CacheSet that a FakeCluster feeds, and what
/// a ReconcileRun needs. Nothing is elected, all is led.
class RunRig : public ::testing::Test {
 protected:
  RunRig() {
    options_.leader_election = false;
    cluster_.SetWidget("w", 1, 7);
    CacheContext context{now_.monotonic, &out_};
    cache_.Hold(BucketSet::All(1), context);
    Feed(DescriptionArrived{WidgetDescription()});
    Show();
    record_.name = {"default", "w"};
    record_.uid = std::string(cache_.Parent(0, record_.name)->uid);
  }

  /// Passes an input to the caches and answers what they request, but events of held plurals.
  template <typename T>
  void Feed(T input) {
    CacheContext context{now_.monotonic, &out_};
    cache_.On(std::move(input), context);
  }
  /// Brings the caches what has happened in the cluster, but for the plural `hidden`.
  void Show(const std::string& hidden = "") {
    for (bool more = true; more;) more = Answer() || Bring(hidden);
  }
  KeyContext Key() {
    return {options_, identity_, now_, cache_, leadership_, declarations_, keys_, record_};
  }
  RunContext Context() {
    return {Key(), 0, record_, figures_, sequences_, budget_, may_send_, dirty_};
  }
  /// The only output of that type.
  template <typename T>
  static T Only(const Effects& effects) {
    std::vector<T> found;
    for (const Output& output : effects.out) {
      if (const T* match = std::get_if<T>(&output)) found.push_back(*match);
    }
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? T{} : found.front();
  }
  /// A run whose plan has been sent, and that plan.
  std::pair<ReconcileRun, SendPlan> Sent() {
    ReconcileRun run(now_.monotonic, now_.monotonic);
    const auto request = Only<SendObservation>(run.Start({"created"}, Context()));
    run.On(PlanArrived{request.sequence, MakeWidgetPlan(request.observation)}, Context());
    const auto send = Only<SendPlan>(run.OnCredit(Context()));
    return {run, send};
  }
  /// The same with the plan carried out; the caches do not show it.
  std::pair<ReconcileRun, Effects> Reported() {
    auto [run, send] = Sent();
    Effects effects = run.On(
        ReportArrived{send.sequence, ApplyPlan(*send.plan, ApplierFault{}, &cluster_)}, Context());
    return {run, std::move(effects)};
  }

  Options options_;
  std::string identity_ = "watcher-a";
  Instant now_{absl::FromUnixSeconds(1700000000), absl::Seconds(1000)};
  FakeCluster cluster_;
  Outputs out_;
  CacheSet cache_{options_, identity_};
  Leadership leadership_{WithoutElection(), identity_};
  Declarations declarations_;
  KeyTable keys_;
  KeyRecord record_;
  ControllerFigures figures_;
  Sequences sequences_;
  DeletionBudget budget_{500, absl::Minutes(1)};
  bool may_send_ = true;
  bool dirty_ = false;

 private:
  struct Stream {
    ResourceType type;
    int64_t version = 0;
  };

  static Options WithoutElection() {
    Options options;
    options.leader_election = false;
    return options;
  }

  bool Answer() {
    const Outputs outputs = std::exchange(out_, {});
    for (const Output& output : outputs) {
      if (const auto* discover = std::get_if<Discover>(&output)) {
        Feed(Discovered{discover->type, true, true, false});
      } else if (const auto* watch = std::get_if<StartWatch>(&output)) {
        streams_[watch->stream] = {watch->type, std::stoll(watch->resource_version)};
      } else if (const auto* list = std::get_if<StartList>(&output)) {
        Feed(ListArrived{list->stream, {cluster_.List(list->type), cluster_.version(), ""}});
      }
    }
    return !outputs.empty();
  }
  bool Bring(const std::string& hidden) {
    bool brought = false;
    for (auto& [id, stream] : streams_) {
      if (stream.type.plural == hidden) continue;
      auto events = *cluster_.EventsAfter(stream.type, stream.version, 100);
      if (events.empty()) continue;
      stream.version = std::stoll(events.back().object.header.resource_version);
      Feed(EventsArrived{id, std::move(events)});
      brought = true;
    }
    return brought;
  }

  std::map<StreamId, Stream> streams_;
};

}  // namespace xebec::watcher::testing
