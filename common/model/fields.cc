// SPDX-License-Identifier: Apache-2.0
#include "common/model/fields.h"

#include "common/base/digest.h"
#include "common/base/json_text.h"
#include "common/model/projection.h"
#include "common/model/well_known.h"

namespace xebec {
namespace {

constexpr size_t kDigits = 16;
constexpr size_t kFieldSetDigits = 8;
constexpr size_t kUsualTextBytes = 1024;

std::string DigestOf(std::string_view text) { return "v1:" + ShortDigest(text, kDigits); }

void AppendWithoutNulls(const Json& value, std::string* out);

void AppendMembers(const Json::object_t& members, std::string* out) {
  out->push_back('{');
  for (const auto& [key, member] : members) {
    if (member.is_null()) continue;
    if (out->back() != '{') out->push_back(',');
    AppendJsonString(key, out);
    out->push_back(':');
    AppendWithoutNulls(member, out);
  }
  out->push_back('}');
}

/// Appends the text of `value` without the members that are null.
void AppendWithoutNulls(const Json& value, std::string* out) {
  if (value.is_object()) return AppendMembers(value.get_ref<const Json::object_t&>(), out);
  if (!value.is_array()) return AppendJson(value, out);
  out->push_back('[');
  for (const Json& element : value) {
    if (out->back() != '[') out->push_back(',');
    AppendWithoutNulls(element, out);
  }
  out->push_back(']');
}

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

/// Appends the structure of `value`: members without their values. `in_list`: `value` is an element
/// of a list or a member of one, so that a scalar counts.
void AppendFieldSet(const Json& value, bool in_list, std::string* out) {
  if (value.is_array()) {
    out->push_back('[');
    for (const Json& element : value) AppendFieldSet(element, true, out);
    out->push_back(']');
  } else if (value.is_object()) {
    out->push_back('{');
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      if (member.is_null()) continue;
      AppendJsonString(key, out);
      AppendFieldSet(member, in_list && key != "image" && !member.is_structured(), out);
    }
    out->push_back('}');
  } else if (in_list) {
    AppendJson(value, out);
    out->push_back(',');
  }
}

}  // namespace

std::string FieldSetDigest(const Json& desired) {
  std::string text;
  if (Find(desired, {"metadata", "annotations", kDigestAnnotation}) == nullptr) {
    AppendFieldSet(desired, false, &text);
  } else {
    Json pruned = desired;
    RemoveDigest(pruned);
    AppendFieldSet(pruned, false, &text);
  }
  return ShortDigest(text, kFieldSetDigits);
}

std::string StampOf(const Json& desired) {
  return DesiredDigest(desired) + "." + FieldSetDigest(desired);
}

std::string DigestInStamp(std::string_view stamp) {
  return std::string(stamp.substr(0, stamp.find('.')));
}

std::string FieldSetInStamp(std::string_view stamp) {
  const size_t dot = stamp.find('.');
  return dot == std::string_view::npos ? "" : std::string(stamp.substr(dot + 1));
}

std::string DesiredDigest(const Json& desired) {
  std::string text;
  text.reserve(kUsualTextBytes);
  if (Find(desired, {"metadata", "annotations", kDigestAnnotation}) == nullptr) {
    AppendWithoutNulls(desired, &text);
  } else {
    Json pruned = WithoutNulls(desired);
    RemoveDigest(pruned);
    AppendJson(pruned, &text);
  }
  return DigestOf(text);
}

bool Covers(const Json& live, const Json& desired) { return ProjectsAlike(live, desired); }

std::string FieldsDigest(const Json& live, const Json& desired) {
  return DigestOf(DumpJson(Project(live, desired)));
}

}  // namespace xebec
