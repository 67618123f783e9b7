// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/claims.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_reasons.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

constexpr int kLastStage = 2;

std::string ClaimName(std::string_view set, int64_t ordinal) {
  return absl::StrCat(ToAbsl(kClaimTemplate), "-", ToAbsl(set), "-", ordinal);
}

bool HasLabel(const View& view, const Child& claim) {
  return FindString(claim.object, {"metadata", "labels", kDatabaseLabel}) == LabelValue(view.name);
}

std::optional<Quantity> SizeAt(const Child& claim, std::initializer_list<std::string_view> path) {
  absl::StatusOr<Quantity> size = Quantity::Parse(FindString(claim.object, path));
  if (!size.ok()) return std::nullopt;
  return *std::move(size);
}

// Collects the reports on the claims.
class Resize {
 public:
  Resize(const View& view, const DatabaseSpec& spec, DesiredState* state)
      : view_(view), spec_(spec), state_(state) {}

  void Examine(const Child& claim) {
    const auto asked = SizeAt(claim, {"spec", "resources", "requests", "storage"});
    if (!asked.has_value()) return;
    if (spec_.storage_bytes < *asked) return Refuse(claim);
    if (spec_.storage_bytes > *asked) return Grow(claim);
    const auto held = SizeAt(claim, {"status", "capacity", "storage"});
    if (held.has_value() && *held < *asked) Say(database::kResizing, Growing(claim), &growing_);
  }

  // Returns the claim of a running replica that the watcher does not find by its label.
  void ReportUnlabelled(const std::string& name) {
    Say(database::kClaimNotLabelled,
        absl::StrCat("PersistentVolumeClaim \"", name, "\" lacks the label ",
                     ToAbsl(kDatabaseLabel), "=", LabelValue(view_.name),
                     ", so it does not grow; add the label"),
        &unlabelled_);
  }

  // Returns true if the claims are smaller than the spec requires.
  bool Grows(const Child& set) const {
    const Json* templates = Find(set.object, {"spec", "volumeClaimTemplates"});
    if (templates == nullptr || !templates->is_array() || templates->empty()) return false;
    const absl::StatusOr<Quantity> first = Quantity::Parse(
        FindString(templates->front(), {"spec", "resources", "requests", "storage"}));
    return first.ok() && spec_.storage_bytes > *first;
  }

  void Report() {
    const Condition& told = Worst();
    if (told.reason.empty()) {
      state_->conditions.push_back({"StorageResized", "", "", ""});
      return;
    }
    if (&told == &shrink_) {
      state_->events.push_back(
          {EventCondition::kAnyChange, true, told.reason, "ResizeStorage", told.message});
    }
    state_->conditions.push_back(told);
  }

 private:
  const Condition& Worst() const {
    for (const Condition* each : {&shrink_, &refused_, &unlabelled_}) {
      if (!each->reason.empty()) return *each;
    }
    return growing_;
  }

  static std::string Requested(const Child& claim) {
    return FindString(claim.object, {"spec", "resources", "requests", "storage"});
  }

  std::string Growing(const Child& claim) const {
    return absl::StrCat("PersistentVolumeClaim \"", claim.name, "\" is growing to ", spec_.storage);
  }

  static void Say(std::string_view reason, std::string message, Condition* condition) {
    if (!condition->reason.empty()) return;
    *condition = {"StorageResized", "False", std::string(reason), std::move(message)};
  }

  void Refuse(const Child& claim) {
    Say(database::kShrinkRefused,
        absl::StrCat("spec.storage-size ", spec_.storage,
                     " is smaller than PersistentVolumeClaim \"", claim.name, "\" (",
                     Requested(claim),
                     "), and volumes cannot shrink; set it to at least that size"),
        &shrink_);
  }

  void Grow(const Child& claim) {
    DesiredChild child;
    child.type = ClaimType();
    child.object["metadata"]["name"] = claim.name;
    child.object["spec"]["resources"]["requests"]["storage"] = spec_.storage;
    child.stage = kLastStage;
    child.owned = false;
    child.by_version = true;
    child.kind_reports = true;
    child.on_changed = {{EventCondition::kChanged, false, "StorageGrown", "ResizeStorage",
                         absl::StrCat("Requested ", spec_.storage, " in PersistentVolumeClaim \"",
                                      claim.name, "\"")}};
    const Outcome* last =
        view_.LastOutcome(OperationId(Apply{}, {ClaimType(), view_.ns, claim.name}));
    if (last != nullptr && last->certainty == Certainty::kRejected &&
        last->code != OutcomeCode::kStale) {
      Say(database::kResizeRefused,
          absl::StrCat("PersistentVolumeClaim \"", claim.name, "\" cannot grow: ", last->message),
          &refused_);
    } else {
      Say(database::kResizing, Growing(claim), &growing_);
    }
    state_->children.push_back(std::move(child));
  }

  const View& view_;
  const DatabaseSpec& spec_;
  DesiredState* state_;
  Condition shrink_, refused_, unlabelled_, growing_;
};

}  // namespace

const Child* FindClaim(const View& view, const Child& set, int64_t ordinal) {
  const Child* claim = view.Find("PersistentVolumeClaim", ClaimName(set.name, ordinal));
  return claim != nullptr && !claim->deleting && HasLabel(view, *claim) ? claim : nullptr;
}

bool HasOlderClaim(const View& view) {
  const auto made = FindTime(view.parent, {"metadata", "creationTimestamp"});
  const std::string first = ClaimName(NamesOf(view).base, 0);
  const std::vector<const Child*> claims = view.OfKind("PersistentVolumeClaim");
  return made.has_value() && std::any_of(claims.begin(), claims.end(), [&](const Child* claim) {
           const auto claimed = FindTime(claim->object, {"metadata", "creationTimestamp"});
           return claim->name == first && HasLabel(view, *claim) && claimed.has_value() &&
                  *claimed < *made;
         });
}

void PlanClaims(const View& view, const DatabaseSpec& spec, const Child* set, bool complete,
                DesiredState* state) {
  Resize resize(view, spec, state);
  for (int64_t ordinal = 0; set != nullptr && ordinal < spec.replicas; ++ordinal) {
    if (const Child* claim = FindClaim(view, *set, ordinal)) {
      resize.Examine(*claim);
    } else if (complete && resize.Grows(*set)) {
      resize.ReportUnlabelled(ClaimName(set->name, ordinal));
    }
  }
  resize.Report();
}

}  // namespace xebec::planner
