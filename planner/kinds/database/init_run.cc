// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/init_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_reasons.h"
#include "planner/kinds/database/missing_pods.h"
#include "planner/kinds/database/state_names.h"
#include "planner/kinds/pod_reason.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// The status write usually causes a reconcile before this time.
constexpr absl::Duration kSoon = absl::Seconds(1);

enum class State { kNone, kRunning, kReplacing, kSucceeded, kFailed, kSkipped, kUnknown };

constexpr std::pair<State, std::string_view> kNames[] = {
    {State::kRunning, "Running"},     {State::kReplacing, "Replacing"},
    {State::kSucceeded, "Succeeded"}, {State::kFailed, "Failed"},
    {State::kSkipped, "Skipped"},     {State::kUnknown, "Unknown"}};

struct Record {
  State state = State::kNone;
  std::string uid;  // uid of the last known Job; empty if there was none
  std::string why;  // the reason of a failure
};

const Json* TrueCondition(const Child& job, std::string_view type) {
  const Json* conditions = Find(job.object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  const auto at = std::find_if(conditions->begin(), conditions->end(), [&](const Json& condition) {
    return FindString(condition, {"type"}) == type && FindString(condition, {"status"}) == "True";
  });
  return at == conditions->end() ? nullptr : &*at;
}

Record RecordOf(const Child& job) {
  if (TrueCondition(job, "Complete") != nullptr) return {State::kSucceeded, job.uid, ""};
  if (const Json* failed = TrueCondition(job, "Failed"); failed != nullptr) {
    return {State::kFailed, job.uid, FindString(*failed, {"message"})};
  }
  return {State::kRunning, job.uid, ""};
}

std::string InitDigest(const Json& job) {
  return FindString(job, {"metadata", "annotations", kInitDigestAnnotation});
}

// Plans the initial configuration once.
class InitPlan {
 public:
  InitPlan(const View& view, const DatabaseSpec& spec, DesiredState* state)
      : view_(view),
        spec_(spec),
        state_(state),
        name_(NamesOf(view).init),
        job_(view.Find("Job", name_)),
        recorded_{ParseState(kNames, FindString(view.parent, {"status", "init", "state"})),
                  FindString(view.parent, {"status", "init", "jobUID"}), ""},
        desired_(DatabaseInitJob(view, spec)) {}

  Initialization Plan(bool first_ready) {
    record_ = Decide();
    if (record_.state == State::kReplacing) Replace();
    if (record_.state == State::kNone && first_ready) state_->children.push_back(desired_);
    Report();
    if (record_.state == State::kRunning) return Initialization::kRunning;
    const bool complete = record_.state == State::kSucceeded || record_.state == State::kSkipped;
    return complete ? Initialization::kComplete : Initialization::kNotRunning;
  }

 private:
  // Returns true if a user requests another run.
  bool Again() const {
    return !recorded_.uid.empty() &&
           FindString(view_.parent, {"metadata", "annotations", kInitAgainAnnotation}) ==
               recorded_.uid;
  }

  bool IsOutdated() const {
    const std::string made = InitDigest(job_->object);
    return !made.empty() && made != InitDigest(desired_.object);
  }

  Record Decide() const {
    if (recorded_.state == State::kSucceeded && !Again()) return recorded_;
    if (job_ == nullptr) return WithoutJob();
    const bool recorded_job = job_->uid == recorded_.uid;
    if (Again() && recorded_job && recorded_.state != State::kRunning) {
      return {State::kReplacing, job_->uid, ""};
    }
    Record record = RecordOf(*job_);
    if (record.state == State::kSucceeded) return record;
    if (spec_.skip_init) return {State::kSkipped, record.uid, ""};
    if (job_->deleting) return recorded_job ? recorded_ : record;
    if (IsOutdated()) return {State::kReplacing, job_->uid, ""};
    return record;
  }

  // Returns a Job whose creation was reported and that has not been observed since.
  std::string UnseenJob() const {
    const Outcome* created = view_.LastOutcome(OperationId(Apply{}, {JobType(), view_.ns, name_}));
    if (created == nullptr || created->code != OutcomeCode::kCreated) return "";
    return created->uid == recorded_.uid ? "" : created->uid;
  }

  // Returns the state if no Job exists: it never ran (kNone), may run again, or is unknown.
  Record WithoutJob() const {
    if (spec_.skip_init) return {State::kSkipped, recorded_.uid, ""};
    if (std::string uid = UnseenJob(); !uid.empty()) return {State::kUnknown, std::move(uid), ""};
    const bool may_run = recorded_.uid.empty() || recorded_.state == State::kNone ||
                         recorded_.state == State::kFailed ||
                         recorded_.state == State::kReplacing || Again();
    return {may_run ? State::kNone : State::kUnknown, recorded_.uid, ""};
  }

  // Only once the status contains it. Deletes in the foreground, so that two of its Pods never run
  // at the same time.
  void Replace() {
    const bool on_record = recorded_.state == State::kReplacing && recorded_.uid == record_.uid;
    if (!on_record && !view_.without_status) return ResyncAfter(kSoon, state_);
    if (job_ == nullptr || job_->deleting) return;
    ChildToDelete old;
    old.type = JobType();
    old.name = name_;
    old.propagation = Propagation::kForeground;
    old.reason = "the initial configuration has changed";
    state_->to_delete.push_back(std::move(old));
  }

  Condition Describe() const;
  Condition DescribeRunning() const;
  void Report();

  const View& view_;
  const DatabaseSpec& spec_;
  DesiredState* const state_;
  const std::string name_;
  const Child* const job_;
  const Record recorded_;
  const DesiredChild desired_;
  Record record_;
};

Condition InitPlan::DescribeRunning() const {
  const std::string running = absl::StrCat("Job \"", name_, "\" is running");
  Condition plain{"Initialized", "False", std::string(database::kInitRunning), running};
  if (job_ == nullptr) return plain;
  const std::vector<const Child*> pods = PodsOf(view_, *job_);
  if (const auto reason = FindPodReason(pods, ShownReason(view_, "Initialized"))) {
    return {"Initialized", "False", reason->reason,
            absl::StrCat("Job \"", name_, "\": ", reason->message)};
  }
  const bool missing = pods.empty() &&
                       FindInt(job_->object, {"status", "failed"}).value_or(0) == 0 &&
                       FindInt(job_->object, {"status", "succeeded"}).value_or(0) == 0;
  if (!missing) return plain;
  const auto reason = FindMissingPodsReason(view_, *job_, "Initialized", database::kInitRunning,
                                            /*replaces=*/false, state_);
  if (!reason) return plain;
  return {"Initialized", "False", reason->reason,
          absl::StrCat("Job \"", name_, "\" has no Pod: ", reason->message)};
}

Condition InitPlan::Describe() const {
  const auto make = [](const char* status, std::string_view reason, std::string message) {
    return Condition{"Initialized", status, std::string(reason), std::move(message)};
  };
  switch (record_.state) {
    case State::kSucceeded:
      return make("True", database::kInitSucceeded, "The initial configuration is done");
    case State::kSkipped:
      return make("True", database::kInitSkipped, "spec.init.skip is true");
    case State::kRunning:
      return DescribeRunning();
    case State::kReplacing:
      return make("False", database::kInitReplacing,
                  absl::StrCat("Job \"", name_, "\" is being replaced"));
    case State::kFailed:
      return make("False", database::kInitFailed,
                  absl::StrCat("Job \"", name_, "\" failed: ", record_.why,
                               ". Correct the spec, or delete the Job to run it again"));
    case State::kUnknown:
      return make(
          "Unknown", database::kInitUnknown,
          absl::StrCat("Job \"", name_, "\" (uid ", record_.uid,
                       ") is gone and its result is unknown, so it is not run again. If the "
                       "database is initialized, set spec.init.skip: true. To run the Job "
                       "again, annotate this object with ",
                       ToAbsl(kInitAgainAnnotation), "=", record_.uid));
    case State::kNone:
      break;
  }
  return make("False", database::kWaitingForReplica,
              "The initial configuration runs when a replica is ready");
}

void InitPlan::Report() {
  Json& status = state_->status["init"];
  status = Json();
  if (record_.state != State::kNone) status["state"] = StateName(kNames, record_.state);
  if (!record_.uid.empty()) {
    status["jobName"] = name_;
    status["jobUID"] = record_.uid;
  }
  Condition condition = Describe();
  if (record_.state == State::kUnknown || record_.state == State::kFailed) {
    state_->events.push_back(
        {EventCondition::kAnyChange, true, condition.reason, "Initialize", condition.message});
  }
  Condition unknown{"InitUnknown", "", "", ""};
  if (record_.state == State::kUnknown) {
    unknown = {"InitUnknown", "True", std::string(database::kInitUnknown), condition.message};
  }
  state_->conditions.push_back(std::move(condition));
  state_->conditions.push_back(std::move(unknown));
}

}  // namespace

Initialization PlanInit(const View& view, const DatabaseSpec& spec, bool first_ready,
                        DesiredState* state) {
  return InitPlan(view, spec, state).Plan(first_ready);
}

}  // namespace xebec::planner
