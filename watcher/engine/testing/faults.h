// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xebec::watcher::testing {

/// A defect of watchers, planners or appliers, which the simulated world feigns: it falsifies what
/// they see of the Leases and of lists, or what they do. Each must violate a law.
enum class Defect {
  kNone,
  kNoFence,            ///< Appliers accept plans of earlier epochs.
  kTakesFromLiving,    ///< Watchers take buckets whose holder lives and does not yield them.
  kTakesBeforeExpiry,  ///< Watchers take buckets before the Lease of their holder has expired.
  kYieldsEarly,        ///< Watchers yield buckets before their reconciles have completed.
  kNoListOfGained,     ///< Watchers gain buckets without a list of their objects.
  kStatesOld,          ///< A watcher states that it had seen less than it had.
  kHandsOverOld,       ///< A watcher hands objects over that are older than it says.
  kIgnoresCount,       ///< Watchers ignore that others have another number of buckets.
  kNoCountFence,       ///< As kIgnoresCount, and appliers accept the plans of these watchers.
  kOldAssignment,      ///< Appliers never read the assignment again.
  kOldDeclaration,     ///< An answer is used although the declaration has changed meanwhile.
  kIgnoresDigest,      ///< Planners do not compare the digests of answers.
  kReleasesEarly,      ///< An Operator goes although parents have its finalizer.
  kKeepsFinalizer,     ///< Parents keep the finalizer of an Operator that is being deleted.
  kDropsAsking,        ///< A key that waits for an answer is forgotten.
  kCoversTooMuch,      ///< Planners that need another plan after their writes say that they do not.
};

/// How often things go wrong, in percent of the steps; pauses, partitions, missing gateways, lost
/// assignments and restarts of appliers in permille.
struct Faults {
  int stream_ends = 3;    ///< Cleanly, broken, or with 410 after a compaction.
  int duplicates = 5;     ///< An event is delivered twice.
  int losses = 1;         ///< An event is swallowed; the stream ends with 410 some time later.
  int plan_fails = 3;     ///< The planner does not answer.
  int report_lost = 3;    ///< The plan is carried out (or not) and nobody says so.
  int slow_appliers = 0;  ///< A plan waits at an applier for up to 12 s, until it has expired.
  int partial = 4;        ///< The applier stops in the middle.
  int unknown = 4;        ///< One answer of the API server is lost.
  int restarts = 1;       ///< kill -9, a new process.
  int live_fails = 5;     ///< A live read fails.
  int slow_reads = 20;    ///< A live read takes seconds: others see more meanwhile.
  int lags = 2;           ///< A watch brings nothing for longer than the gate waits.
  int list_fails = 3;     ///< A page of a list fails, or is no longer known.
  int slow_lists = 20;    ///< A page takes seconds: watches show more meanwhile.
  int stops = 1;          ///< A process is asked to stop; a new one follows.
  int lease_fails = 5;    ///< A write of a Lease has no answer, or does not arrive.
  int lease_lags = 2;     ///< The watch of the Leases brings nothing for some seconds.
  int lease_gaps = 1;     ///< The watch of the Leases breaks: a list misses what came between.
  int pauses = 0;         ///< A process stands still for half a minute, as after SIGSTOP.
  int partitions = 0;     ///< A process reaches no Leases for half a minute, or no object at all.
  int wrong_clocks = 0;   ///< Per process: its clock is an hour off.
  int lost_assignments = 0;  ///< Somebody deletes the Lease with the assignment.
  int applier_restarts = 0;  ///< An applier forgets all epochs.
  int joins = 0;             ///< Another watcher starts, or one ends for good.
  int recounts = 0;          ///< The number of buckets changes; the watchers restart one by one.
  int operators = 10;        ///< Users change Operators or hooks. Only if there are Operators.
  int hook_fails = 15;  ///< A hook hangs, fails, answers nonsense, late, or differently each time.
  int slow_hooks = 20;  ///< A hook answers after some seconds.
  int stale_answers = 10;  ///< An observation contains the answer to an earlier one too.
  int poll_fails = 3;      ///< The call that waits for a change of a hook fails.
  int gateway_gone = 10;   ///< In permille: no gateway is connected for some seconds.
  bool instances = false;  ///< A restarted process knows that its predecessor has ended.
  Defect defect = Defect::kNone;
};

inline constexpr Faults kNoFaults = {.stream_ends = 0,
                                     .duplicates = 0,
                                     .losses = 0,
                                     .plan_fails = 0,
                                     .report_lost = 0,
                                     .partial = 0,
                                     .unknown = 0,
                                     .restarts = 0,
                                     .live_fails = 0,
                                     .slow_reads = 0,
                                     .lags = 0,
                                     .list_fails = 0,
                                     .slow_lists = 0,
                                     .stops = 0,
                                     .lease_fails = 0,
                                     .lease_lags = 0,
                                     .lease_gaps = 0,
                                     .hook_fails = 0,
                                     .slow_hooks = 0,
                                     .stale_answers = 0,
                                     .poll_fails = 0,
                                     .gateway_gone = 0};

}  // namespace xebec::watcher::testing
