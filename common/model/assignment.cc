// SPDX-License-Identifier: Apache-2.0
#include "common/model/assignment.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/base/strings.h"

namespace xebec {
namespace {

absl::Status Malformed(const std::string& what) {
  return absl::InvalidArgumentError("assignment: " + what);
}

absl::Status ReadHolders(const Json& json, Assignment* out) {
  const Json* watchers = Find(json, {"watchers"});
  if (watchers == nullptr || !watchers->is_object()) {
    return Malformed("watchers is not an object of identities and buckets");
  }
  for (const auto& [watcher, ranges] : watchers->items()) {
    const auto set = ranges.is_string() ? BucketSet::Parse(ranges.get<std::string>(), out->count())
                                        : std::nullopt;
    if (!set || watcher.empty()) {
      return Malformed(absl::StrCat("the buckets of '", watcher,
                                    "' are not ranges such as 0-3,7 below ", out->count()));
    }
    for (const uint32_t bucket : set->ToVector()) {
      std::string& holder = out->buckets[bucket].watcher;
      if (!holder.empty()) return Malformed(absl::StrCat("bucket ", bucket, " has two holders"));
      holder = watcher;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadEpochs(const Json& json, Assignment* out) {
  const Json* epochs = Find(json, {"epochs"});
  if (epochs == nullptr || !epochs->is_array() || epochs->size() != out->buckets.size()) {
    return Malformed("epochs does not have one number for each bucket");
  }
  for (size_t bucket = 0; bucket < out->buckets.size(); ++bucket) {
    const std::optional<int64_t> epoch = AsInt((*epochs)[bucket]);
    if (!epoch || *epoch < 0 || static_cast<uint64_t>(*epoch) > kHighestReadableEpoch) {
      return Malformed(absl::StrCat("the epoch of bucket ", bucket, " is not a number from 0 to ",
                                    kHighestReadableEpoch));
    }
    out->buckets[bucket].epoch = static_cast<uint64_t>(*epoch);
  }
  return absl::OkStatus();
}

absl::Status ReadInDoubt(const Json& json, Assignment* out) {
  const auto in_doubt = BucketSet::Parse(FindString(json, {"inDoubt"}), out->count());
  if (!in_doubt) return Malformed("inDoubt is not a list of ranges such as \"0-3,7\"");
  for (const uint32_t bucket : in_doubt->ToVector()) out->buckets[bucket].clean = false;
  return absl::OkStatus();
}

/// What is malformed is ignored: without a statement, a bucket is planned a little later.
void ReadStatement(const Json& json, Assignment* out) {
  const auto stated = BucketSet::Parse(FindString(json, {"stated"}), out->count());
  const Json* seen = Find(json, {"seen"});
  if (!stated || seen == nullptr || !seen->is_object()) return;
  for (const auto& [resource, version] : seen->items()) {
    if (version.is_string()) out->seen[resource] = version.get<std::string>();
  }
  for (const uint32_t bucket : stated->ToVector()) out->buckets[bucket].stated = true;
}

}  // namespace

BucketSet Assignment::Of(std::string_view watcher) const {
  BucketSet own(count());
  for (uint32_t bucket = 0; bucket < count(); ++bucket) {
    if (buckets[bucket].watcher == watcher) own.Add(bucket);
  }
  return own;
}

uint64_t Assignment::HighestEpoch() const {
  uint64_t highest = 0;
  for (const BucketHolder& each : buckets) highest = std::max(highest, each.epoch);
  return highest;
}

std::string EncodeAssignment(const Assignment& assignment) {
  std::map<std::string, BucketSet> sets;
  BucketSet in_doubt(assignment.count()), stated(assignment.count());
  Json epochs = Json::array();
  for (uint32_t bucket = 0; bucket < assignment.count(); ++bucket) {
    const BucketHolder& holder = assignment.buckets[bucket];
    epochs.push_back(holder.epoch);
    if (!holder.clean) in_doubt.Add(bucket);
    if (holder.stated) stated.Add(bucket);
    if (holder.watcher.empty()) continue;
    sets.try_emplace(holder.watcher, assignment.count()).first->second.Add(bucket);
  }
  Json watchers = Json::object();
  for (const auto& [watcher, set] : sets) watchers[watcher] = set.ToText();
  Json json = {{"buckets", assignment.count()},
               {"watchers", std::move(watchers)},
               {"inDoubt", in_doubt.ToText()},
               {"epochs", std::move(epochs)}};
  if (!stated.empty()) json["stated"] = stated.ToText();
  if (!assignment.seen.empty()) json["seen"] = assignment.seen;
  return DumpJson(json);
}

absl::StatusOr<Assignment> DecodeAssignment(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json.ok()) return Malformed(std::string(ToStd(json.status().message())));
  const std::optional<int64_t> count = FindInt(*json, {"buckets"});
  if (!count || *count < 1 || *count > kMaxBuckets) {
    return Malformed(absl::StrCat("buckets is not a number from 1 to ", kMaxBuckets));
  }
  Assignment assignment;
  assignment.buckets.resize(static_cast<size_t>(*count));
  for (const auto read : {ReadHolders, ReadEpochs, ReadInDoubt}) {
    if (absl::Status status = read(*json, &assignment); !status.ok()) return status;
  }
  ReadStatement(*json, &assignment);
  return assignment;
}

}  // namespace xebec
