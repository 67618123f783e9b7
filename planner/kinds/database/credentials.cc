// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/credentials.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/kinds/database/claims.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_reasons.h"
#include "planner/kinds/database/state_names.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// Secrets are not watched, so the Secret is ensured again after this time.
constexpr absl::Duration kAskAgain = absl::Seconds(5);

enum class State { kNone, kCreated, kExisted, kLost, kExternal };

constexpr std::pair<State, std::string_view> kNames[] = {{State::kCreated, "Created"},
                                                         {State::kExisted, "Existed"},
                                                         {State::kLost, "Lost"},
                                                         {State::kExternal, "External"}};

struct Record {
  State state = State::kNone;
  std::string uid;  // uid of the Secret that the Database has or had; empty if unknown
};

Record Recorded(const View& view) {
  return {ParseState(kNames, FindString(view.parent, {"status", "credentials", "state"})),
          FindString(view.parent, {"status", "credentials", "uid"})};
}

bool HasNoSecretYet(const Record& record) {
  return record.state == State::kNone || record.state == State::kExternal;
}

// The data were initialized while the Database had the password of the user's Secret.
bool HasOtherPassword(const View& view, const Record& record) {
  return record.state == State::kExternal &&
         !FindString(view.parent, {"status", "data", "claimUID"}).empty();
}

const Outcome* LastAnswer(const View& view, const std::string& secret) {
  const Outcome* last =
      view.LastOutcome(OperationId(EnsureSecret{}, {SecretType(), view.ns, secret}));
  return last != nullptr && last->certainty == Certainty::kDone ? last : nullptr;
}

// Only the answer to a creation contains the uid.
Record Update(const View& view, Record record, const Outcome* answer) {
  if (answer == nullptr) return record;
  const bool created = answer->code == OutcomeCode::kCreated;
  const bool known = !record.uid.empty() && (!created || answer->uid == record.uid);
  if (!HasNoSecretYet(record))
    return created && !known ? Record{State::kLost, answer->uid} : record;
  if (known || !created) return {State::kExisted, known ? record.uid : answer->uid};
  // A volume that is older than the Database was initialized with another password.
  const bool lost = HasOtherPassword(view, record) || HasOlderClaim(view);
  return {lost ? State::kLost : State::kCreated, answer->uid};
}

void ReportLoss(const Record& record, const std::string& secret, DesiredState* state) {
  if (record.state != State::kLost) {
    state->conditions.push_back({"CredentialsLost", "", "", ""});
    return;
  }
  const std::string reason(database::kCredentialsLost);
  std::string message = absl::StrCat(
      "Secret \"", secret,
      "\" is not the one that the existing data were initialized with, so they probably have "
      "another password. Restore the old Secret, or set the password of this one in the database; "
      "then annotate this object with ",
      ToAbsl(kAcceptCredentialsAnnotation), "=", record.uid);
  state->events.push_back({EventCondition::kAnyChange, true, reason, "EnsureSecret", message});
  state->conditions.push_back({"CredentialsLost", "True", reason, std::move(message)});
}

void ReportRecord(const Record& record, const std::string& secret, DesiredState* state) {
  Json& status = state->status["credentials"];
  status = Json();
  if (record.state != State::kNone) {
    status = {{"secretName", secret}, {"state", StateName(kNames, record.state)}};
    if (!record.uid.empty()) status["uid"] = record.uid;
  }
  ReportLoss(record, secret, state);
}

}  // namespace

void PlanCredentials(const View& view, const DatabaseSpec& spec, bool needed, DesiredState* state) {
  if (!spec.password_secret.empty()) {
    return ReportRecord({State::kExternal, Recorded(view).uid}, spec.password_secret, state);
  }
  const std::string secret = NamesOf(view).credentials;
  Record record = Update(view, Recorded(view), LastAnswer(view, secret));
  const std::string accepted =
      FindString(view.parent, {"metadata", "annotations", kAcceptCredentialsAnnotation});
  if (record.state == State::kLost && accepted == record.uid) record.state = State::kCreated;
  if (needed) {
    state->secrets.push_back(DatabaseCredentials(view));
    if (HasNoSecretYet(record)) ResyncAfter(kAskAgain, state);
  }
  ReportRecord(record, secret, state);
}

}  // namespace xebec::planner
