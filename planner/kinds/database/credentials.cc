// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/credentials.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// Nothing is watched that would tell when the Secret is there.
constexpr absl::Duration kAskAgain = absl::Seconds(5);

struct Record {
  std::string state;  // Empty, "Created", "Existed" or "Lost".
  std::string uid;    // Of the Secret; empty when never told.
};

Record Recorded(const View& view) {
  return {FindString(view.parent, {"status", "credentials", "state"}),
          FindString(view.parent, {"status", "credentials", "uid"})};
}

const Outcome* LastAnswer(const View& view, const std::string& secret) {
  return view.LastOutcome(OperationId(EnsureSecret{}, {SecretType(), view.ns, secret}));
}

Record Update(Record record, const Outcome* answer) {
  if (answer == nullptr) return record;
  if (answer->code == OutcomeCode::kExisted && record.state.empty()) {
    return {"Existed", answer->uid};
  }
  if (answer->code != OutcomeCode::kCreated || answer->uid == record.uid) return record;
  return {record.state.empty() ? "Created" : "Lost", answer->uid};
}

void ReportLoss(const Record& record, const std::string& secret, DesiredState* state) {
  if (record.state != "Lost") {
    state->conditions.push_back({"CredentialsLost", "", "", ""});
    return;
  }
  std::string message = absl::StrCat("Secret \"", secret,
                                     "\" was gone and was made again with a new password, which "
                                     "the database does not know. Put the "
                                     "old Secret back or set the database's password to the new "
                                     "one; then annotate this object with ",
                                     ToAbsl(kAcceptCredentialsAnnotation), "=", record.uid);
  state->events.push_back(
      {EventCondition::kAnyChange, true, "CredentialsLost", "EnsureSecret", message});
  state->conditions.push_back({"CredentialsLost", "True", "CredentialsLost", std::move(message)});
}

}  // namespace

void PlanCredentials(const View& view, bool complete, DesiredState* state) {
  const std::string secret = NamesOf(view).credentials;
  Record record = Update(Recorded(view), LastAnswer(view, secret));
  const std::string accepted =
      FindString(view.parent, {"metadata", "annotations", kAcceptCredentialsAnnotation});
  if (record.state == "Lost" && accepted == record.uid) record.state = "Created";
  if (!complete) {
    state->secrets.push_back(DatabaseCredentials(view));
    if (record.state.empty()) ResyncAfter(kAskAgain, state);
  }
  if (record.state.empty()) {
    state->status["credentials"] = Json();
  } else {
    Json& status = state->status["credentials"];
    status = {{"secretName", secret}, {"state", record.state}};
    if (!record.uid.empty()) status["uid"] = record.uid;
  }
  ReportLoss(record, secret, state);
}

}  // namespace xebec::planner
