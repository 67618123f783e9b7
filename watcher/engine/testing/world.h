// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "applier/engine/admission/fence.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/testing/bucket_laws.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/fake_hooks.h"
#include "watcher/engine/testing/fake_leases.h"
#include "watcher/engine/testing/fake_services.h"
#include "watcher/engine/testing/faults.h"
#include "watcher/engine/testing/hook_laws.h"

namespace xebec::watcher::testing {

/// The engines of some watchers with everything around them, driven by a seed. Two appliers have
/// the product's fence each, and carry out the plans of all watchers. Checks at every step that one
/// plan at most of a process is in flight per parent, that no observation misses what an earlier
/// report told or what was written before its process began to lead, that sequences grow, that one
/// watcher at most leads a parent, whatever number of buckets it has, that no reconcile of a bucket
/// runs when it is handed over in order, the BucketLaws and the HookLaws. With Options::hooks,
/// widgets are planned for the Operators that users declare, change and delete, by the planner of
/// the product and by hooks that fail.
class World {
 public:
  World(uint64_t seed, const Faults& faults, Options options,
        PlannerDescription description = WidgetDescription(), size_t watchers = 1);

  /// From now on every widget has one part, and users do nothing but let two widgets swap the names
  /// of their parts, or delete a part.
  void SwapNames();
  /// From now on the installation has this number of buckets. Watchers that run keep theirs until
  /// they are replaced, one after the other.
  void Recount(uint32_t buckets);
  /// From now on a paused Operator and one that is gone may not write. Users change every widget.
  void Touch();
  /// From now on all hooks answer equal requests differently, or no longer do so.
  void SetMoody(bool moody);
  /// A user wants this widget.
  void Want(const std::string& widget, int parts, int value);
  /// Calls `act` once, before a process gets the `input`-th of all inputs. If `act` kills the
  /// process, the input is lost.
  void Before(uint64_t input, std::function<void()> act);
  /// The number of inputs that the processes have got.
  uint64_t inputs() const { return inputs_; }
  /// kill -9 of the process whose turn it is. Another one starts. `carried`: the appliers carry out
  /// the plans that they were sent.
  void Kill(bool carried);
  /// One random thing happens, time passes.
  void Step();
  /// No more faults; runs until nothing happens any more, at most `limit` of virtual time. False
  /// when that is not enough.
  bool Converge(absl::Duration limit);
  /// Runs for `time` and returns what the engine asked for that is not about its Lease; watch
  /// restarts are not counted.
  std::vector<std::string> Rest(absl::Duration time);

  /// What is wrong, one line each; empty when all invariants held.
  const std::vector<std::string>& violations() const { return violations_; }
  /// Differences between what users want and what there is.
  std::vector<std::string> Unconverged() const;
  FakeCluster& cluster() { return cluster_; }
  /// The last things that happened, oldest first, for a failed test.
  const std::deque<std::string>& trace() const { return trace_; }
  const std::map<std::string, uint64_t>& counts() const { return counts_; }

 private:
  struct Stream {
    ResourceType type;
    kube::BucketFilter keep;
    int64_t version = 0;
    bool to_end = false;  // has lost an event: must not live for ever
    absl::Duration silent_until = -absl::InfiniteDuration();
  };
  struct Expected {                              // of an earlier report, by key
    std::map<std::string, std::string> written;  // part name -> version
    std::map<std::string, std::string> uids;     // part name -> uid
    std::map<std::string, bool> deleted;         // uid
    std::string status_version;
  };
  struct Pending {
    Input input;
    absl::Duration due = -absl::InfiniteDuration();
    absl::Duration seen = absl::InfiniteDuration();  // since when it could have come
  };
  struct Waiting {
    SendPlan send;
    absl::Duration due;
  };
  struct Poll {  // a call that waits for a change of a hook
    uint64_t sequence;
    HookCall call;
    absl::Duration due;
  };
  struct Asked {  // the last observation of a parent that needed an answer, and the answer
    Observation observation;
    HookRequest request;
    std::optional<HookAnswer> answer;
  };
  struct Process {
    std::unique_ptr<Engine> engine;
    std::string identity;
    uint32_t buckets = 1;
    std::map<StreamId, Stream> streams;
    std::map<std::string, kube::BucketFilter> listed;  // by plural: what the first list was for
    std::map<std::string, std::vector<kube::DecodedObject>> lists;  // by plural and version
    std::set<std::string> lost;    // versions of events that were swallowed
    std::vector<Pending> pending;  // answers
    std::vector<Waiting> plans;    // at appliers
    std::vector<Poll> polls;
    std::map<std::string, Asked> asked;        // by key
    std::map<std::string, int64_t> forgotten;  // generations of parents, by key
    absl::Duration no_gateway_until = -absl::InfiniteDuration();
    bool gateway = true;
    std::map<std::string, int> in_flight;                          // by controller and parent name
    std::map<uint32_t, int> busy;                                  // the same by bucket
    std::map<uint64_t, std::pair<std::string, uint32_t>> parents;  // and buckets, by sequence
    std::map<std::string, Expected> expected;
    uint64_t last_sequence = 0;
    std::optional<size_t> leases_seen;  // entries of the log; none: not listed yet
    bool lists_leases = false;          // after a conflict
    absl::Duration leases_silent_until = -absl::InfiniteDuration();
    absl::Duration paused_until = -absl::InfiniteDuration();
    absl::Duration no_leases_until = -absl::InfiniteDuration();
    absl::Duration no_objects_until = -absl::InfiniteDuration();
    absl::Duration clock_error;
    int ticks_at_once = 0;
    bool ends = false;  // is not started again when it has drained
    bool off = false;   // ended for good, until it is started again
  };
  struct Write {  // of a part, by a plan
    std::string uid, version;
    absl::Duration at;
  };

  bool Chance(int percent);
  /// For what takes half a minute.
  bool Rarely(int percent) { return Chance(percent) && Chance(10); }
  size_t Pick(size_t size);
  void Feed(Input input);
  void Do(Output output);
  void On(const Discover& request);
  void On(const Resolve& request);
  void On(const CallHook& request);
  void On(const StartWatch& request);
  void On(const StartList& request);
  void On(const StopStream& request);
  absl::StatusOr<TransferPage> AskWatcher(const StartList& request) const;
  Input HandedOver(const StartList& request);
  void On(const SendObservation& send);
  void On(SendPlan& send);
  void On(const LiveGet& request);
  void On(const LiveList& request);
  void On(const WriteLease& request);
  void On(const Note& note);
  void On(const Drained&) { drained_ = true; }
  void Carry(const SendPlan& send);
  bool CarryOne();
  void CheckObservation(const Observation& observation);
  void Learn(const Plan& plan, const Report& report);
  bool DeliverPending(size_t i);
  void Resume();
  bool DeliverAny();
  bool DeliverEvents(StreamId id);
  bool FailStream(StreamId id, int status, const std::string& reason, const std::string& message);
  bool Expire(StreamId id);
  void EndStream(StreamId id);
  StreamId AnyStream();
  void UserActs();
  void ScrapsOfUsers(const std::string& widget);
  void SwapsOfUsers();
  bool Leaving() const { return !description_.kinds[0].finalizer.empty(); }
  bool LiveReadFails(ReadId read);
  void AnswerRead(LiveArrived answer);
  void CheckScraps(std::vector<std::string>* differences) const;
  Report Apply(const Plan& plan, const ApplierFault& fault);
  void Restart();
  void Crash(const std::function<bool()>& carries_out);
  bool Interrupted();
  void Begin();
  void Heal();
  bool DeliverAnyones();
  void TickAll();
  absl::Duration NextDeadline() const;
  bool DeliverLeases();
  Instant Now() const { return {now_.wall + me_->clock_error, now_.monotonic}; }
  bool Runs(const Process& process) const {
    return !process.off && process.paused_until <= now_.monotonic;
  }
  void JoinsAndLeaves();
  void Replace();
  void BreakLeaseWatch();
  void Partition();
  void LoseAssignment();
  bool ReachesLeases() const { return me_->no_leases_until <= now_.monotonic; }
  bool ReachesObjects() const { return me_->no_objects_until <= now_.monotonic; }
  // Operators and their hooks.
  bool Declares() const { return options_.hooks; }
  bool OperatorsAct();
  void ChangeOperator(const std::string& name);
  void RemoveOperator(const std::string& name);
  Json RandomSpec(const std::string& name);
  void LoseGateway();
  void ReviewGateway();
  void HealHooks();
  HookReply ReplyOf(const HookCall& call);
  HookReply FailedReply(const HookCall& call, absl::Duration* delay);
  void NoteAnswer(const HookCall& call, const HookReply& reply);
  bool DeliverPoll(size_t i);
  bool PollIsOver(const Poll& poll) const;
  Plan PlanOf(const Observation& observation);
  Plan PlanOfWidget(const Observation& observation) const;
  Plan PlanOfOperator(Observation observation) const;
  Plan PlanOfDeclared(Observation observation);
  std::optional<Plan> DefectivePlan(const Observation& observation);
  void CheckDeclaredPlan(const Plan& plan);
  void CheckOperators(std::vector<std::string>* differences) const;
  void CheckAlone(const ParentIdentity& parent);
  void CheckHandedOver(const Assignment& before, const Assignment& after);
  void NoteAssigned(const Assignment& before, const Assignment& after);
  void CheckHolders(std::vector<std::string>* differences) const;
  Input Store(const WriteLease& request);
  void NoteBegun(const Envelope& envelope, uint64_t sequence);
  void NoteSent(const Envelope& envelope, uint64_t sequence);
  LeasesSeen AsSeen(LeasesSeen seen) const;
  std::vector<std::string> Members() const;
  void YieldEarly();
  bool Ignored(const std::string& refusal) const;
  kube::BucketFilter OfList(const ResourceType& type, const kube::BucketFilter& wanted);
  struct Applier;
  applier::FenceAnswer Admit(const Envelope& envelope, Applier* applier);
  Report ApplyUnlessFenced(const Plan& plan, const ApplierFault& fault);
  void Remember(const Plan& plan, const Report& report);
  void CheckHistory(const Observation& observation,
                    const std::map<std::string, kube::ObjectHeader>& shown);
  bool CarryOrphan();
  bool Elects() const { return options_.leader_election; }
  void Advance(absl::Duration time);
  void Violate(const std::string& what);
  void Trace(const std::string& what);
  static std::string Text(const Input& input);
  static std::string KeyOf(const Envelope& envelope) {
    return envelope.controller + "/" + envelope.parent.uid;
  }

  std::mt19937_64 random_;
  Faults faults_;
  const Options options_;
  const PlannerDescription description_;
  uint64_t incarnation_ = 0;
  Instant now_;
  FakeCluster cluster_;
  std::vector<Process> processes_;
  Process* me_ = nullptr;  // whose turn it is
  bool drained_ = false;
  bool loses_assignments_ = false;  // somebody deletes the Lease now and then
  FakeLeases leases_;
  std::vector<LeaseSeen> lease_log_;
  uint32_t buckets_;  // of watchers that begin
  BucketLaws laws_;
  std::map<uint32_t, absl::Duration> assigned_;  // when each bucket got its watcher
  FakeHooks hooks_;
  HookLaws hook_laws_;
  std::set<std::string> unserved_, forbidden_;  // plurals
  int64_t last_id_ = 0;                         // of the configurations of Operators
  bool quiet_ = false;                          // see Touch
  struct Applier {
    applier::Fence fence{"default/assignment"};
    absl::Duration read_at = -absl::InfiniteDuration();  // when it read the assignment last
  };
  std::array<Applier, 2> appliers_;
  struct Orphan {  // a plan that an applier carries out, whose process is gone
    SendPlan send;
    absl::Duration until;  // when its operations are over
  };
  std::vector<Orphan> orphans_;
  std::map<std::string, std::map<std::string, Write>> history_;  // by parent's uid and part
  std::vector<std::string> violations_;
  std::map<std::string, uint64_t> counts_;
  std::map<std::string, std::pair<int, int>> wanted_;  // by widget: parts, value
  std::vector<std::string> names_;                     // of the parts of w0, w1, … if they swap
  std::deque<std::string> trace_;
  std::vector<std::string> log_;  // outputs since Rest began
  uint64_t inputs_ = 0, interrupted_at_ = 0;
  std::function<void()> interruption_;
};

}  // namespace xebec::watcher::testing
