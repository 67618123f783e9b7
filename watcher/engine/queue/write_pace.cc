// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/write_pace.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kBurst = absl::Seconds(30);
constexpr absl::Duration kRepeated = absl::Seconds(1);
constexpr absl::Duration kProgress = absl::Milliseconds(100);
constexpr size_t kRemembered = 32;
constexpr std::string_view kTime = R"("lastTransitionTime":")";

std::string WithoutTimes(std::string_view json) {
  std::string rest;
  for (size_t at = json.find(kTime); at != std::string_view::npos; at = json.find(kTime)) {
    rest += json.substr(0, at);
    json.remove_prefix(std::min(json.size(), json.find('"', at + kTime.size())));
  }
  return rest += json;
}

/// Returns true if the operation changed, or may have changed, something.
bool Wrote(const Outcome& outcome) {
  return outcome.certainty == Certainty::kUnknown ||
         (outcome.certainty == Certainty::kDone && outcome.code != OutcomeCode::kUnchanged &&
          outcome.code != OutcomeCode::kAbsent && outcome.code != OutcomeCode::kExisted);
}

}  // namespace

WritePace::Toll WritePace::Pay(const std::vector<uint64_t>& writes, absl::Duration now) {
  const bool repeats = Repeats(writes);
  debt_ =
      std::max(absl::ZeroDuration(), debt_ - (now - paid_at_)) + (repeats ? kRepeated : kProgress);
  debt_ = std::min(debt_, kBurst + kRepeated);  // changes of a user do not wait
  paid_at_ = now;
  slowed_ &= debt_ > kBurst / 2;
  if (debt_ <= kBurst) return {};
  const bool begins = repeats && !slowed_;
  slowed_ |= repeats;
  return {debt_ - kBurst, begins};
}

bool WritePace::Repeats(const std::vector<uint64_t>& writes) {
  const size_t known = last_.size();
  const auto is_known = [&](uint64_t write) {
    return std::find(last_.begin(), last_.begin() + known, write) != last_.begin() + known;
  };
  const bool repeats = std::all_of(writes.begin(), writes.end(), is_known);
  for (const uint64_t write : writes) {
    if (!is_known(write)) last_.push_back(write);
  }
  if (last_.size() > kRemembered) last_.erase(last_.begin(), last_.end() - kRemembered);
  return repeats;
}

std::vector<uint64_t> WritesOf(const Plan& plan, const std::vector<Outcome>& outcomes) {
  std::vector<uint64_t> writes;
  size_t i = 0;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const Outcome& outcome = outcomes.at(i++);
      if (!Wrote(outcome)) continue;
      writes.push_back(Seed(
          absl::StrCat(operation.id, " ", operation.precondition.uid, " ", outcome.digest), 0));
    }
  }
  const bool status = plan.status.has_value() && Wrote(outcomes.at(i));
  if (status && writes.empty()) {
    const ObjectBytes& object = plan.status->object;
    writes.push_back(Seed(object ? WithoutTimes(*object) : "", 0));
  }
  return writes;
}

Note WriteLoop(const ObjectRef& parent) {
  return {Note::Level::kWarning, "Write loop detected",
          "the key writes the same again and again and is slowed down to one write a second; "
          "another client, perhaps a second release, may write against it",
          parent, ""};
}

}  // namespace xebec::watcher
