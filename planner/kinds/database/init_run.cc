// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/init_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

struct Record {
  std::string state;  // Empty, "Running", "Succeeded", "Failed", "Skipped" or "Unknown".
  std::string uid;    // Of the last Job known; empty when none ever was.
  std::string why;    // Of a failure.
};

Record Recorded(const View& view) {
  return {FindString(view.parent, {"status", "init", "state"}),
          FindString(view.parent, {"status", "init", "jobUID"}), ""};
}

const Json* TrueCondition(const Child& job, std::string_view type) {
  const Json* conditions = Find(job.object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  const auto at = std::find_if(conditions->begin(), conditions->end(), [&](const Json& condition) {
    return FindString(condition, {"type"}) == type && FindString(condition, {"status"}) == "True";
  });
  return at == conditions->end() ? nullptr : &*at;
}

Record RecordOf(const Child& job) {
  if (TrueCondition(job, "Complete") != nullptr) return {"Succeeded", job.uid, ""};
  if (const Json* failed = TrueCondition(job, "Failed"); failed != nullptr) {
    return {"Failed", job.uid, FindString(*failed, {"message"})};
  }
  return {"Running", job.uid, ""};
}

// A Job whose creation was answered and that nobody has seen since.
std::string UnseenJob(const View& view, const std::string& name, const Record& record) {
  const Outcome* created = view.LastOutcome(OperationId(Apply{}, {JobType(), view.ns, name}));
  if (created == nullptr || created->code != OutcomeCode::kCreated) return "";
  return created->uid == record.uid ? "" : created->uid;
}

// What is known without a Job in sight: it never ran (state empty), may run again, or is unknown.
Record WithoutJob(const View& view, const std::string& name, Record record) {
  if (std::string uid = UnseenJob(view, name, record); !uid.empty()) {
    record = {"Unknown", std::move(uid), ""};
  }
  if (record.uid.empty() || record.state == "Failed") return {"", record.uid, ""};
  const std::string again =
      FindString(view.parent, {"metadata", "annotations", kInitAgainAnnotation});
  record.state = again == record.uid ? "" : "Unknown";
  return record;
}

Record Decide(const View& view, const DatabaseSpec& spec, const std::string& name) {
  Record record = Recorded(view);
  if (record.state == "Succeeded") return record;
  const Child* job = view.Find("Job", name);
  if (job != nullptr) record = RecordOf(*job);
  if (record.state == "Succeeded") return record;
  if (spec.skip_init) return {"Skipped", record.uid, ""};
  return job != nullptr ? record : WithoutJob(view, name, std::move(record));
}

Condition Describe(const Record& record, const std::string& job) {
  const std::string& state = record.state;
  if (state == "Succeeded")
    return {"Initialized", "True", "InitSucceeded", "Initial configuration is done"};
  if (state == "Skipped") return {"Initialized", "True", "InitSkipped", "spec.init.skip is true"};
  if (state == "Running") {
    return {"Initialized", "False", "InitRunning", absl::StrCat("Job \"", job, "\" is running")};
  }
  if (state == "Failed") {
    return {"Initialized", "False", "InitFailed",
            absl::StrCat("Job \"", job, "\" failed: ", record.why, ". Delete it to run it again")};
  }
  if (state != "Unknown") {
    return {"Initialized", "False", "WaitingForReplica", "Runs when the first replica is ready"};
  }
  return {"Initialized", "Unknown", "InitUnknown",
          absl::StrCat("Job \"", job, "\" (uid ", record.uid,
                       ") is gone and its result was not seen; it is not run a second "
                       "time by itself. Set spec.init.skip: true if the database is as it should "
                       "be, or annotate this "
                       "object with ",
                       ToAbsl(kInitAgainAnnotation), "=", record.uid, " to run it again")};
}

void Report(const Record& record, const std::string& job, DesiredState* state) {
  Json& status = state->status["init"];
  status = Json();
  if (!record.state.empty()) status["state"] = record.state;
  if (!record.uid.empty()) {
    status["jobName"] = job;
    status["jobUID"] = record.uid;
  }
  Condition condition = Describe(record, job);
  if (condition.reason == "InitUnknown" || condition.reason == "InitFailed") {
    state->events.push_back(
        {EventCondition::kAnyChange, true, condition.reason, "Initialize", condition.message});
  }
  Condition unknown{"InitUnknown", "", "", ""};
  if (record.state == "Unknown")
    unknown = {"InitUnknown", "True", "InitUnknown", condition.message};
  state->conditions.push_back(std::move(condition));
  state->conditions.push_back(std::move(unknown));
}

}  // namespace

bool PlanInit(const View& view, const DatabaseSpec& spec, bool first_ready, DesiredState* state) {
  const std::string name = NamesOf(view).init;
  const Record record = Decide(view, spec, name);
  if (record.state.empty() && first_ready) state->children.push_back(DatabaseInitJob(view, spec));
  Report(record, name, state);
  return record.state == "Succeeded" || record.state == "Skipped";
}

}  // namespace xebec::planner
