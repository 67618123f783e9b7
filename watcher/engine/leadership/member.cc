// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/member.h"

#include <algorithm>
#include <optional>

#include "common/base/json.h"
#include "common/model/assignment.h"
#include "common/model/bucket.h"

namespace xebec::watcher {

namespace {

std::optional<BucketSet> DecodeBuckets(const Json& member, const char* field, uint32_t count) {
  const Json* buckets = Find(member, {field});
  if (buckets == nullptr || !buckets->is_string()) return std::nullopt;
  return BucketSet::Parse(buckets->get<std::string>(), count);
}

uint64_t DecodeCount(const Json& json, std::initializer_list<std::string_view> path) {
  return static_cast<uint64_t>(std::max<int64_t>(0, FindInt(json, path).value_or(0)));
}

// Watchers write no higher numbers: somebody else did.
AssignmentKnowledge DecodeKnowledge(const Json& member) {
  const AssignmentKnowledge told{DecodeCount(member, {"assignment", "version"}),
                                 DecodeCount(member, {"assignment", "epoch"})};
  const bool credible = std::max(told.version, told.epoch) <= kHighestReadableEpoch;
  return credible ? told : AssignmentKnowledge();
}

std::optional<DeclaredShares> DecodeShares(const Json& member, uint32_t buckets) {
  const Json* all = Find(member, {"operators"});
  if (all == nullptr || !all->is_object()) return std::nullopt;
  DeclaredShares shares{DecodeBuckets(member, "counted", buckets).value_or(BucketSet(buckets)), {}};
  for (const auto& [controller, share] : all->items()) {
    shares.controllers[controller] = {
        FindString(share, {"version"}), DecodeCount(share, {"parents"}),
        DecodeCount(share, {"problems"}), FindBool(share, {"holding"}).value_or(true)};
  }
  return shares;
}

}  // namespace

bool BelongsTo(std::string_view instance, std::string_view identity) {
  return !instance.empty() && identity.starts_with(instance) &&
         identity.find('_', instance.size()) == std::string_view::npos;
}

std::string EncodeMember(const MemberFacts& facts) {
  Json json = {{"buckets", facts.buckets}, {"address", facts.address}, {"leaving", facts.leaving}};
  if (!facts.work.empty()) json["work"] = facts.work;
  if (facts.kept) json["kept"] = facts.kept->ToText();
  if (facts.assignment != AssignmentKnowledge()) {
    json["assignment"] = {{"version", facts.assignment.version}, {"epoch", facts.assignment.epoch}};
  }
  if (facts.declared) {
    json["counted"] = facts.declared->buckets.ToText();
    Json& all = json["operators"] = Json::object();
    for (const auto& [controller, share] : facts.declared->controllers) {
      all[controller] = {{"version", share.version},
                         {"parents", share.parents},
                         {"problems", share.problems},
                         {"holding", share.holding}};
    }
  }
  return DumpJson(json);
}

absl::StatusOr<MemberFacts> DecodeMember(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json.ok()) return json.status();
  const std::optional<int64_t> buckets = FindInt(*json, {"buckets"});
  if (!buckets || *buckets < 1 || *buckets > kMaxBuckets) {
    return absl::InvalidArgumentError("member: buckets is not a number of buckets");
  }
  const auto count = static_cast<uint32_t>(*buckets);
  return MemberFacts{.buckets = count,
                     .address = FindString(*json, {"address"}),
                     .leaving = FindBool(*json, {"leaving"}).value_or(false),
                     .declared = DecodeShares(*json, count),
                     .work = FindString(*json, {"work"}),
                     .kept = DecodeBuckets(*json, "kept", count),
                     .assignment = DecodeKnowledge(*json)};
}

}  // namespace xebec::watcher
