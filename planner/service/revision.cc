// SPDX-License-Identifier: Apache-2.0
#include "planner/service/revision.h"

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/codec/codec.h"

namespace xebec::planner {

PlannerDescription Describe(const KindRegistry& kinds, const std::string& revision) {
  PlannerDescription description;
  description.revision = revision;
  for (const Kind& kind : kinds.kinds()) description.kinds.push_back(kind.description);
  return description;
}

std::string PlannerRevision(const std::string& version, const KindRegistry& kinds) {
  v1::DescribeKindsResponse encoded;  // contains no maps, so equal kinds result in equal bytes
  codec::EncodeDescription(Describe(kinds, ""), &encoded);
  constexpr size_t kDigits = 12;
  return absl::StrCat(version, "-", ShortDigest(encoded.SerializeAsString(), kDigits));
}

}  // namespace xebec::planner
