// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/testing/fake_leases.h"

namespace xebec::watcher::bench {

/// Events concern every kStride-th object: they come in no order.
inline constexpr size_t kStride = 7919;

/// CPU time of this process: the rest of the machine does not count.
absl::Duration CpuTime();
/// Bytes that are allocated in this process.
size_t Allocated();
ObjectKey NameOf(bool child, size_t number);
/// The parent of that number.
ObjectRef ParentAt(size_t number);
/// The parent or child of that number as the API server shows it.
kube::DecodedObject MakeObject(bool child, size_t number, uint64_t version);
/// Bytes of the children's JSON as the engine stores it.
size_t PackedBytes(size_t children);

/// The watcher's engine, and a world that answers its requests: an API server with as many
/// parents as children, planners and appliers. Every step is measured.
class EngineWorld {
 public:
  /// With `election` another watcher holds half of the buckets at first. With `namespaces`, each
  /// of so many has watches of its own: at least the 100 of the objects.
  EngineWorld(size_t children, bool election, size_t namespaces = 0);

  /// Answers everything until nothing is asked for any more.
  void Run();
  /// One event each for many children or parents, with the plan that follows.
  void ChangeChildren(size_t events);
  void ChangeParents(size_t events);
  /// Events of objects of the children's kind that belong to no parent.
  void ChangeUnrelated(size_t events);
  /// The watch of children has expired: everything is listed again.
  void ExpireWatch();
  /// All children have changed and the watch has expired, but the list breaks off at its end.
  void BreakList();
  /// The other watcher is gone; this one takes its buckets and is brought up to date.
  void TakeOver();
  /// A planner with another revision, whose children keep these fields, takes over.
  void Upgrade(const std::string& revision, std::vector<std::string> fields);
  /// A planner with another revision, whose parents have no children, takes over.
  void DropChildren(const std::string& revision);
  /// Every parent's child is applied once, and shows to be as it should.
  void ApplyAll();

  void ResetFigures();
  size_t steps() const { return steps_; }
  absl::Duration total() const { return total_; }
  absl::Duration longest() const { return longest_; }
  /// The most that was allocated.
  size_t peak() const { return peak_; }
  size_t planned() const { return planned_; }
  bool leads() const { return engine_.Leads(); }
  const Engine& engine() const { return engine_; }
  const Instant& now() const { return now_; }
  /// Of the last plan.
  const std::string& revision() const { return revision_; }

  /// Lists of children bring none until this is set.
  bool with_children = true;

 private:
  void Describe(const std::string& revision, const KindDescription& kind);
  void Advance(absl::Duration time);
  void Step(Input input);
  void Take(Output output);
  void Bring(bool child, kube::WatchEvent event);
  kube::DecodedObject Object(bool child, size_t number) const;
  bool AnswerOne();
  void AnswerPage(const StartList& request);
  kube::ListPage PageOf(const StartList& request) const;
  void AnswerObservation(const SendObservation& send);
  void AnswerPlan(const SendPlan& send);
  void ShareWithAnother();
  void SendBookmarks();

  const size_t children_;
  const size_t namespaces_;
  Engine engine_;
  Instant now_{absl::FromUnixSeconds(1'700'000'000), absl::Seconds(1000)};
  uint64_t version_ = 1;
  std::vector<uint64_t> child_versions_, parent_versions_;
  testing::FakeLeases leases_;
  std::map<std::string, StreamId> watches_of_parts_, watches_of_widgets_;  // by namespace
  std::deque<Discover> discoveries_;
  std::deque<StartList> pages_;
  std::deque<WriteLease> lease_writes_;
  std::deque<SendObservation> observations_;
  std::deque<SendPlan> plans_;
  bool applies_ = false;
  bool breaks_lists_ = false;
  std::string revision_;
  size_t steps_ = 0, peak_ = 0, planned_ = 0;
  absl::Duration total_, longest_;
};

}  // namespace xebec::watcher::bench
