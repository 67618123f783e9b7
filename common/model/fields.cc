// SPDX-License-Identifier: Apache-2.0
#include "common/model/fields.h"

#include "common/base/digest.h"
#include "common/model/projection.h"
#include "common/model/well_known.h"

namespace xebec {
namespace {

constexpr size_t kDigits = 16;

std::string DigestOf(const Json& json) { return "v1:" + ShortDigest(DumpJson(json), kDigits); }

Json WithoutNulls(const Json& value) {
  if (value.is_object()) {
    Json result = Json::object();
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      if (!member.is_null()) result[key] = WithoutNulls(member);
    }
    return result;
  }
  if (!value.is_array()) return value;
  Json result = Json::array();
  for (const Json& element : value) result.push_back(WithoutNulls(element));
  return result;
}

/// Removes the digest annotation, and the member `annotations` if it is then empty.
void RemoveDigest(Json& object) {
  if (Find(object, {"metadata", "annotations", kDigestAnnotation}) == nullptr) return;
  Json& metadata = object["metadata"];
  metadata["annotations"].erase(std::string(kDigestAnnotation));
  if (metadata["annotations"].empty()) metadata.erase("annotations");
}

}  // namespace

std::string DesiredDigest(const Json& desired) {
  Json pruned = WithoutNulls(desired);
  RemoveDigest(pruned);
  return DigestOf(pruned);
}

bool Covers(const Json& live, const Json& desired) {
  return Project(live, desired) == Project(desired, desired);
}

std::string FieldsDigest(const Json& live, const Json& desired) {
  return DigestOf(Project(live, desired));
}

}  // namespace xebec
