// SPDX-License-Identifier: Apache-2.0
#include "common/kube/object_decoder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "common/kube/field_filter.h"
#include "common/kube/object_identity.h"
#include "common/model/well_known.h"

namespace xebec::kube::internal {
namespace {

using Error = simdjson::error_code;

constexpr size_t kKeptBufferBytes = 64 * 1024;
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// The members of metadata that a projection keeps, besides annotations.
constexpr std::string_view kKeptMetadata[] = {"name",
                                              "namespace",
                                              "uid",
                                              "resourceVersion",
                                              "generation",
                                              "creationTimestamp",
                                              "deletionTimestamp",
                                              "deletionGracePeriodSeconds",
                                              "finalizers",
                                              "ownerReferences",
                                              "labels"};

bool IsKeptMetadata(std::string_view key) {
  return std::find(std::begin(kKeptMetadata), std::end(kKeptMetadata), key) !=
         std::end(kKeptMetadata);
}

/// The members that are kept of an object beyond our limits.
bool IsHead(std::string_view key) {
  return key == "metadata" || key == "apiVersion" || key == "kind" || key == "status";
}

/// A limit of ours, not an error in the text. simdjson also reports numbers that are too large as
/// number errors.
bool IsLimit(Error error, std::string_view text) {
  return (error == simdjson::DEPTH_ERROR || error == simdjson::NUMBER_ERROR) && Json::accept(text);
}

/// An entry of managedFields. The texts are in the parser's buffer.
struct Manager {
  std::string_view name, time, subresource, operation;
};

Error ReadManager(od::object entry, Manager* out) {
  for (auto member : entry) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    const std::string_view key = RawKey(field);
    Error error = simdjson::SUCCESS;
    if (key == "manager") error = ReadString(field.value(), &out->name);
    if (key == "time") error = ReadString(field.value(), &out->time);
    if (key == "subresource") error = ReadString(field.value(), &out->subresource);
    if (key == "operation") error = ReadString(field.value(), &out->operation);
    if (error) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

DecodeBuffers& BuffersFor(size_t bytes, std::unique_ptr<DecodeBuffers>* large) {
  thread_local DecodeBuffers own;
  if (bytes <= kKeptBufferBytes) return own;
  *large = std::make_unique<DecodeBuffers>();
  return **large;
}

absl::Status ObjectDecoder::Decode(od::object object, DecodedObject* out) {
  buffers_.kept.assign("{");
  if (auto error = ReadMembers(object, out)) return JsonError(where_, error);
  ObjectHeader& header = out->header;
  if (header.name.empty()) return absl::InvalidArgumentError("object: metadata.name is missing");
  if (header.resource_version.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("object ", header.name, ": metadata.resourceVersion is missing"));
  }
  return excluded_ ? absl::OkStatus() : Finish(out);
}

Error ObjectDecoder::ReadMembers(od::object object, DecodedObject* out) {
  for (auto member : object) {
    where_ = "object";
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (auto error = ReadMember(RawKey(field), field.value(), out)) return error;
  }
  return simdjson::SUCCESS;
}

Error ObjectDecoder::ReadMember(std::string_view key, od::value value, DecodedObject* out) {
  if (excluded_) return simdjson::SUCCESS;
  const size_t begin = buffers_.kept.size();
  const Error error = KeepMember(key, value, out);
  const size_t end = buffers_.kept.size();
  if (IsHead(key) && end > begin) head_.push_back({key, begin, end});
  return error;
}

Error ObjectDecoder::KeepMember(std::string_view key, od::value value, DecodedObject* out) {
  if (key == "metadata") {
    where_ = "object.metadata";
    od::object metadata;
    if (auto error = value.get_object().get(metadata)) return error;
    if (auto error = ReadIdentity(metadata, projection_, &out->header, &where_)) return error;
    excluded_ = !Wants(projection_, &out->header);
    if (excluded_) return simdjson::SUCCESS;
    if (auto error = metadata.reset().error()) return error;
    return ReadMetadata(metadata, &out->header);
  }
  has_api_version_ |= key == "apiVersion";
  has_kind_ |= key == "kind";
  if (key == "apiVersion" || key == "kind" || projection_.fields.empty()) {
    return AppendWhole(key, value, &buffers_.kept);
  }
  return AppendFiltered(key, value, projection_.fields, &buffers_.kept);
}

Error ObjectDecoder::ReadMetadata(od::object metadata, ObjectHeader* header) {
  if (buffers_.kept.back() != '{') buffers_.kept.push_back(',');
  buffers_.kept.append("\"metadata\":{");
  for (auto member : metadata) {
    where_ = "object.metadata";
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (auto error = ReadMetadataMember(RawKey(field), field.value(), header)) return error;
  }
  buffers_.kept.push_back('}');
  return simdjson::SUCCESS;
}

Error ObjectDecoder::ReadMetadataMember(std::string_view key, od::value value,
                                        ObjectHeader* header) {
  if (key == "managedFields") return ReadManagers(value);
  if (key == "ownerReferences") return KeepOwners(value);
  if (key == "labels") where_ = "object.metadata.labels";
  if (key == "annotations") return ReadAnnotations(value, header);
  if (!projection_.fields.empty() && !IsKeptMetadata(key)) return simdjson::SUCCESS;
  return ReadMetadataScalar(key, value, header);
}

Error ObjectDecoder::ReadMetadataScalar(std::string_view key, od::value value,
                                        ObjectHeader* header) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type == od::json_type::object || type == od::json_type::array) {
    return AppendWhole(key, value, &buffers_.kept);  // labels, finalizers and unknown members
  }
  AppendMember(key, value.raw_json_token(), &buffers_.kept);
  if (key == "generation") {
    return where_ = "object.metadata.generation", ReadInt(value, &header->generation);
  }
  if (key == "deletionTimestamp") header->deleting = type == od::json_type::string;
  return simdjson::SUCCESS;
}

Error ObjectDecoder::KeepOwners(od::value value) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  return AppendWhole("ownerReferences", value, &buffers_.kept);
}

// Times are RFC 3339 in UTC, in seconds. The order of entries with the same second is not the order
// of the writes: updates follow applies.
Error ObjectDecoder::ReadManagers(od::value value) {
  if (ManagedKinds(projection_).empty()) return simdjson::SUCCESS;
  where_ = "object.metadata.managedFields";
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  od::array entries;
  if (auto error = value.get_array().get(entries)) return error;
  std::string_view latest;
  for (auto element : entries) {
    od::object entry;
    if (auto error = std::move(element).get_object().get(entry)) return error;
    Manager manager;
    if (auto error = ReadManager(entry, &manager)) return error;
    if (!manager.subresource.empty()) continue;
    const bool applied =
        std::find(appliers_.begin(), appliers_.end(), manager.name) != appliers_.end();
    // Entries of applies come first.
    if (manager.operation == "Apply") appliers_.push_back(manager.name);
    if (manager.operation == "Update" && applied) co_owners_.push_back(manager.name);
    if (manager.time < latest) continue;
    if (manager.time > latest) last_writers_.clear();
    latest = manager.time;
    last_writers_.push_back(manager.name);
  }
  return simdjson::SUCCESS;
}

Error ObjectDecoder::ReadAnnotations(od::value value, ObjectHeader* header) {
  where_ = "object.metadata.annotations";
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  od::object annotations;
  if (auto error = value.get_object().get(annotations)) return error;
  if (buffers_.kept.back() != '{') buffers_.kept.push_back(',');
  buffers_.kept.append("\"annotations\":{");
  for (auto member : annotations) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (auto error = ReadAnnotation(RawKey(field), field.value(), header)) return error;
  }
  buffers_.kept.push_back('}');
  return simdjson::SUCCESS;
}

Error ObjectDecoder::ReadAnnotation(std::string_view key, od::value value, ObjectHeader* header) {
  if (key == kLastApplied && !projection_.fields.empty()) return simdjson::SUCCESS;
  if (key == kPausedAnnotation || key == kReconcileAtAnnotation) {
    AppendMember(key, value.raw_json_token(), &buffers_.kept);
    return ReadString(value, key == kPausedAnnotation ? &header->paused : &header->reconcile_at);
  }
  return AppendWhole(key, value, &buffers_.kept);
}

void ObjectDecoder::AppendManagers(std::string_view member, const Managers& managers) {
  if (managers.empty()) return;
  const Json names(std::vector<std::string>(managers.begin(), managers.end()));
  AppendMember(member, DumpJson(names), &buffers_.kept);
}

void ObjectDecoder::AppendAllManagers() {
  if (last_writers_.size() == 1) {
    AppendMember(kLastWriterMember, DumpJson(std::string(last_writers_[0])), &buffers_.kept);
  } else if (!last_writers_.empty()) {
    const Json writers(std::vector<std::string>(last_writers_.begin(), last_writers_.end()));
    AppendMember(kLastWriterMember, DumpJson(writers), &buffers_.kept);
  }
  AppendManagers(kCoOwnersMember, co_owners_);
  AppendManagers(kAppliersMember, appliers_);
}

absl::Status ObjectDecoder::Finish(DecodedObject* out) {
  const ObjectHeader& header = out->header;
  const bool child =
      !header.parent_label.empty() || IsOneOf(header.controller, ManagedKinds(projection_));
  if (child) AppendAllManagers();
  Close();
  absl::Status status = Compact(out);
  if (!absl::IsOutOfRange(status)) return status;
  const std::string why(ToStd(status.message()));
  const std::string whole = buffers_.kept;
  KeepHead(whole, why, /*with_status=*/true);
  status = Compact(out);
  if (!absl::IsOutOfRange(status)) return status;
  KeepHead(whole, why, /*with_status=*/false);
  status = Compact(out);
  return absl::IsOutOfRange(status) ? absl::InvalidArgumentError(status.message()) : status;
}

void ObjectDecoder::KeepHead(const std::string& whole, std::string_view why, bool with_status) {
  std::string& kept = buffers_.kept;
  kept = "{";
  for (const auto& [key, begin, end] : head_) {
    if (key == "status" && !with_status) continue;
    const size_t comma = whole[begin] == ',' ? 1 : 0;
    if (kept.size() > 1) kept.push_back(',');
    kept.append(whole, begin + comma, end - begin - comma);
  }
  if (!with_status) AppendMember("status", "null", &kept);
  AppendMember(kUnreadableMember, DumpJson(std::string(why)), &kept);
  Close();
}

void ObjectDecoder::Close() {
  std::string& kept = buffers_.kept;
  if (type_ != nullptr && !has_kind_)
    AppendMember("kind", absl::StrCat("\"", type_->kind, "\""), &kept);
  if (type_ != nullptr && !has_api_version_) {
    AppendMember("apiVersion", absl::StrCat("\"", ApiVersion(*type_), "\""), &kept);
  }
  kept.push_back('}');
}

absl::Status ObjectDecoder::Compact(DecodedObject* out) {
  std::string& kept = buffers_.kept;
  const size_t size = kept.size();
  if (size > kMaxObjectBytes) {
    return absl::OutOfRangeError(
        absl::StrCat("it has ", size, " bytes; the limit is ", kMaxObjectBytes));
  }
  kept.append(kLinePadding, ' ');
  if (buffers_.validator.max_depth() != kMaxDepth) {
    if (auto error = buffers_.validator.allocate(size, kMaxDepth))
      return JsonError("object", error);
  }
  if (auto error = buffers_.validator.parse(kept.data(), size, false).error()) {
    const absl::Status status = JsonError(absl::StrCat("object ", out->header.name), error);
    return IsLimit(error, {kept.data(), size}) ? absl::OutOfRangeError(status.message()) : status;
  }
  buffers_.compact.resize(size + kLinePadding);
  size_t length = 0;
  if (auto error = simdjson::minify(kept.data(), size, buffers_.compact.data(), length)) {
    return JsonError("object", error);
  }
  out->json = MakeObjectBytes(std::string(buffers_.compact.data(), length));
  return absl::OkStatus();
}

}  // namespace xebec::kube::internal
