// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/member.h"

#include <optional>

#include "common/base/json.h"
#include "common/model/bucket.h"

namespace xebec::watcher {

std::string EncodeMember(const MemberFacts& facts) {
  return DumpJson(
      {{"buckets", facts.buckets}, {"address", facts.address}, {"leaving", facts.leaving}});
}

absl::StatusOr<MemberFacts> DecodeMember(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json.ok()) return json.status();
  const std::optional<int64_t> buckets = FindInt(*json, {"buckets"});
  if (!buckets || *buckets < 1 || *buckets > kMaxBuckets) {
    return absl::InvalidArgumentError("member: buckets is not a number of buckets");
  }
  return MemberFacts{.buckets = static_cast<uint32_t>(*buckets),
                     .address = FindString(*json, {"address"}),
                     .leaving = FindBool(*json, {"leaving"}).value_or(false)};
}

}  // namespace xebec::watcher
