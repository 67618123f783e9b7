// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/claims.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

constexpr int kLastStage = 2;

std::vector<const Child*> ClaimsOf(const View& view, const Child& set, int64_t replicas) {
  std::vector<const Child*> claims;
  for (int64_t ordinal = 0; ordinal < replicas; ++ordinal) {
    const std::string name = absl::StrCat(ToAbsl(kClaimTemplate), "-", set.name, "-", ordinal);
    const Child* claim = view.Find("PersistentVolumeClaim", name);
    if (claim == nullptr || claim->deleting) continue;
    if (FindString(claim->object, {"metadata", "labels", kDatabaseLabel}) ==
        LabelValue(view.name)) {
      claims.push_back(claim);
    }
  }
  return claims;
}

std::optional<Quantity> SizeAt(const Child& claim, std::initializer_list<std::string_view> path) {
  absl::StatusOr<Quantity> size = Quantity::Parse(FindString(claim.object, path));
  if (!size.ok()) return std::nullopt;
  return *std::move(size);
}

// The one thing to say, the worst first.
class Resize {
 public:
  Resize(const View& view, const DatabaseSpec& spec, DesiredState* state)
      : view_(view), spec_(spec), state_(state) {}

  void Look(const Child& claim) {
    const auto asked = SizeAt(claim, {"spec", "resources", "requests", "storage"});
    if (!asked.has_value()) return;
    if (spec_.storage_bytes < *asked) return Refuse(claim);
    if (spec_.storage_bytes > *asked) return Grow(claim);
    const auto held = SizeAt(claim, {"status", "capacity", "storage"});
    if (held.has_value() && *held < *asked) Say("Resizing", Growing(claim), &growing_);
  }

  void Report() {
    const Condition& told = !shrink_.reason.empty()    ? shrink_
                            : !refused_.reason.empty() ? refused_
                                                       : growing_;
    if (told.reason.empty()) {
      state_->conditions.push_back({"StorageResized", "", "", ""});
      return;
    }
    if (&told == &shrink_) {  // Of a refusal the runtime warns.
      state_->events.push_back(
          {EventCondition::kAnyChange, true, told.reason, "ResizeStorage", told.message});
    }
    state_->conditions.push_back(told);
  }

 private:
  static std::string Asked(const Child& claim) {
    return FindString(claim.object, {"spec", "resources", "requests", "storage"});
  }

  std::string Growing(const Child& claim) const {
    return absl::StrCat("Claim \"", claim.name, "\" is growing to ", spec_.storage);
  }

  static void Say(std::string reason, std::string message, Condition* condition) {
    if (!condition->reason.empty()) return;
    *condition = {"StorageResized", "False", std::move(reason), std::move(message)};
  }

  void Refuse(const Child& claim) {
    Say("ShrinkRefused",
        absl::StrCat("spec.storage-size ", spec_.storage, " is less than the ", Asked(claim),
                     " of claim \"", claim.name,
                     "\", and volumes cannot shrink; set it to at least that"),
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
    child.on_changed = {
        {EventCondition::kChanged, false, "StorageGrown", "ResizeStorage",
         absl::StrCat("Asked for ", spec_.storage, " in claim \"", claim.name, "\"")}};
    const Outcome* last =
        view_.LastOutcome(OperationId(Apply{}, {ClaimType(), view_.ns, claim.name}));
    if (last != nullptr && last->certainty == Certainty::kRejected &&
        last->code != OutcomeCode::kStale) {
      Say("ResizeRefused", absl::StrCat("Claim \"", claim.name, "\": ", last->message), &refused_);
    } else {
      Say("Resizing", Growing(claim), &growing_);
    }
    state_->children.push_back(std::move(child));
  }

  const View& view_;
  const DatabaseSpec& spec_;
  DesiredState* state_;
  Condition shrink_, refused_, growing_;
};

}  // namespace

void PlanClaims(const View& view, const DatabaseSpec& spec, const Child* set, DesiredState* state) {
  Resize resize(view, spec, state);
  if (set != nullptr) {
    for (const Child* claim : ClaimsOf(view, *set, spec.replicas)) resize.Look(*claim);
  }
  resize.Report();
}

}  // namespace xebec::planner
