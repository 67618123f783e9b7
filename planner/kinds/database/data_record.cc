// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/data_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "planner/kinds/database/claims.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_reasons.h"

namespace xebec::planner {
namespace {

std::string LiveMountPath(const Child& set) {
  const Json* containers = Find(set.object, {"spec", "template", "spec", "containers"});
  if (containers == nullptr || !containers->is_array()) return "";
  for (const Json& container : *containers) {
    const Json* mounts = Find(container, {"volumeMounts"});
    if (mounts == nullptr || !mounts->is_array()) continue;
    for (const Json& mount : *mounts) {
      if (FindString(mount, {"name"}) == kClaimTemplate) return FindString(mount, {"mountPath"});
    }
  }
  return "";
}

std::string LiveDatabase(const View& view) {
  const Child* config = view.Find("ConfigMap", NamesOf(view).config);
  return config == nullptr ? "" : FindString(config->object, {"data", "database"});
}

std::string Change(std::string_view field, const std::string& from, const std::string& to,
                   std::string_view why) {
  return absl::StrCat("spec.", ToAbsl(field), " cannot change from \"", from, "\" to \"", to,
                      "\": ", ToAbsl(why), "; set it back to \"", from, "\"");
}

Condition Lost(const View& view, const Child& claim, const std::string& before) {
  const std::string job = FindString(view.parent, {"status", "init", "jobUID"});
  std::string message = absl::StrCat(
      "PersistentVolumeClaim \"", claim.name, "\" (uid ", claim.uid,
      ") replaced the one that was initialized (uid ", before,
      "), so the database may be empty. Restore the data, then annotate this object with ",
      ToAbsl(kAcceptDataAnnotation), "=", claim.uid);
  if (!job.empty()) {
    absl::StrAppend(
        &message, ". To start with an empty database, annotate it with xebec.dev/init-again=", job,
        " too");
  }
  return {"DataLost", "True", std::string(database::kDataLost), std::move(message)};
}

}  // namespace

DataRecord::DataRecord(const View& view, const Child* set)
    : mount_path_(FindString(view.parent, {"status", "data", "mountPath"})),
      database_(FindString(view.parent, {"status", "data", "database"})),
      claim_uid_(FindString(view.parent, {"status", "data", "claimUID"})) {
  if (set == nullptr) return;
  if (mount_path_.empty()) mount_path_ = LiveMountPath(*set);
  if (database_.empty()) database_ = LiveDatabase(view);
  claim_ = FindClaim(view, *set, 0);
}

std::optional<std::string> DataRecord::Refusal(const DatabaseSpec& spec) const {
  if (!mount_path_.empty() && mount_path_ != spec.mount_path) {
    return Change("mountPath", mount_path_, spec.mount_path,
                  "the image would start with an empty directory");
  }
  if (!database_.empty() && database_ != spec.database) {
    return Change("name", database_, spec.database, "nothing would create the new database");
  }
  return std::nullopt;
}

void DataRecord::CompareClaim(const View& view, bool initialized) {
  if (claim_ == nullptr) return;
  const std::string accepted =
      FindString(view.parent, {"metadata", "annotations", kAcceptDataAnnotation});
  const bool first = claim_uid_.empty() && initialized;
  if (first || (!claim_uid_.empty() && accepted == claim_->uid)) claim_uid_ = claim_->uid;
}

bool DataRecord::Report(const View& view, const DatabaseSpec& spec, bool initialized,
                        DesiredState* state) {
  CompareClaim(view, initialized);
  Json& status = state->status["data"];
  status = {{"mountPath", spec.mount_path}, {"database", spec.database}};
  if (!claim_uid_.empty()) status["claimUID"] = claim_uid_;
  const bool lost = claim_ != nullptr && !claim_uid_.empty() && claim_->uid != claim_uid_;
  if (!lost) {
    state->conditions.push_back({"DataLost", "", "", ""});
    return false;
  }
  Condition condition = Lost(view, *claim_, claim_uid_);
  state->events.push_back(
      {EventCondition::kAnyChange, true, condition.reason, "CheckData", condition.message});
  state->conditions.push_back(std::move(condition));
  return true;
}

}  // namespace xebec::planner
