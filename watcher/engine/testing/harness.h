// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "watcher/engine/engine.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/fake_leases.h"
#include "watcher/engine/testing/fake_services.h"

namespace xebec::watcher::testing {

/// One engine and a FakeCluster, driven step by step: tests decide when what is delivered.
class Harness {
 public:
  explicit Harness(Options options = WithoutElection(), const std::string& identity = "watcher-a");

  static Options WithoutElection();

  void Feed(Input input);
  /// Lets time pass, with a Tick whenever one is due. The test fails if ticks are due without a
  /// pause.
  void Advance(absl::Duration time);
  /// Answers discoveries, lists and watches until nothing is left. Unserved plurals are answered
  /// so.
  void Deliver();
  /// A planner description, credits of 4 and 4, everything listed.
  void Start(const PlannerDescription& description = WidgetDescription());
  /// Start; then the Leases are seen, and the watcher joins.
  void StartAndJoin();
  /// One widget, "w", with one part of value 7, created and idle.
  void StartWithWidget();
  /// One widget whose part was made; the watch of parts does not say so.
  void StartWithStalledParts();

  /// The observation that was sent first and is not answered yet; the test fails when there is
  /// none.
  SendObservation TakeObservation();
  /// The same for plans.
  SendPlan TakePlan();
  /// Answers the next observation by the widget planner.
  void AnswerObservation();
  /// Answers it by that plan, which asks for live lists of parts first. The plan.
  Plan AskForLiveParts();
  /// Carries the next plan out and reports.
  void AnswerPlan(const ApplierFault& fault = {});
  /// Observation, plan, report and the events that follow, as long as there are any.
  void RunReconciles();
  /// Answers live reads from the cluster.
  void AnswerReads();
  /// Carries writes of Leases out until there are none. False if there was none.
  bool AnswerLeases();
  /// AnswerLeases and Deliver, as often as buckets need to change hands. Nothing is reconciled.
  void Converge();

  /// The stream that watches a type, in a namespace or (empty) in all; 0 when there is none.
  StreamId StreamOf(const ResourceType& type, const std::string& ns = "") const;
  /// The key of that name; an empty view when there is none.
  KeyView Key(const std::string& name, const std::string& ns = "default") const;
  /// The keys of all kinds and namespaces.
  std::vector<KeyView> Keys() const;
  bool HasNote(const std::string& what) const { return notes.contains(what); }
  /// Removes and returns what was asked for of one kind of output.
  template <typename T>
  std::vector<T> Take() {
    std::vector<T> taken;
    std::erase_if(outputs, [&](const Output& output) {
      const T* match = std::get_if<T>(&output);
      if (match != nullptr) taken.push_back(*match);
      return match != nullptr;
    });
    return taken;
  }

  Options options;
  Engine engine;
  FakeCluster cluster;
  FakeLeases leases;
  Instant now{absl::FromUnixSeconds(1700000000), absl::Seconds(1000)};
  std::vector<Output> outputs;  // reads, leases, Drained and what tests have not taken
  std::deque<SendObservation> observations;
  std::deque<SendPlan> plans;
  std::multiset<std::string> notes;
  std::vector<ResourceType> types = {WidgetType(), PartType()};  // that Resolve finds
  std::set<std::string> unserved;  // plurals, or "widgets/v1" for one version
  std::set<std::string> unread;    // plurals that may not be read: Resolve fails
  std::set<std::string> held;      // plurals whose events Deliver does not bring

 private:
  struct Stream {
    ResourceType type;
    std::string ns;
    int64_t version = 0;
  };

  bool DeliverOne();
  bool Serves(const ResourceType& type) const;
  void DeliverPage(const StartList& request);
  bool DeliverEvents(StreamId id, Stream* stream);

  std::map<StreamId, Stream> streams_;
};

}  // namespace xebec::watcher::testing
