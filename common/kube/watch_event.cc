// SPDX-License-Identifier: Apache-2.0
#include "common/kube/watch_event.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/kube/object_decoder.h"

namespace xebec::kube {
namespace {

using internal::JsonError;
using internal::RawKey;
using simdjson::error_code;
namespace od = simdjson::ondemand;

absl::Status TooLarge(const char* what, size_t size) {
  return absl::ResourceExhaustedError(
      absl::StrCat(what, " has ", size, " bytes; the limit is ", internal::kMaxLineBytes));
}

absl::StatusOr<WatchEventType> ParseType(std::string_view type) {
  if (type == "ADDED") return WatchEventType::kAdded;
  if (type == "MODIFIED") return WatchEventType::kModified;
  if (type == "DELETED") return WatchEventType::kDeleted;
  if (type == "BOOKMARK") return WatchEventType::kBookmark;
  if (type == "ERROR") return WatchEventType::kError;
  return absl::InvalidArgumentError(
      absl::StrCat("watch event: unknown type \"", ToAbsl(Ellipsize(type, 40)), "\""));
}

/// If the body is not a JSON object, for example a proxy's page, the message shows its start. The
/// start of an object is not shown, because it may be confidential.
absl::Status NoObject(std::string_view line, simdjson::error_code error) {
  constexpr size_t kShown = 80;
  if (absl::StripLeadingAsciiWhitespace(ToAbsl(line)).substr(0, 1) == "{") {
    return JsonError("watch event", error);
  }
  return absl::InvalidArgumentError(absl::StrCat("watch event: expected a JSON object, got \"",
                                                 ToValidUtf8(Ellipsize(line, kShown)), "\""));
}

error_code ReadBookmarkMetadata(od::object metadata, WatchEvent* event) {
  for (auto member : metadata) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (RawKey(field) != "resourceVersion") continue;
    auto& version = event->object.header.resource_version;
    if (auto error = internal::ReadString(field.value(), &version)) return error;
  }
  return simdjson::SUCCESS;
}

absl::Status ReadBookmark(od::object object, WatchEvent* event) {
  od::object metadata;
  if (auto error = object["metadata"].get_object().get(metadata)) {
    return JsonError("bookmark: metadata", error);
  }
  if (auto error = ReadBookmarkMetadata(metadata, event)) {
    return JsonError("bookmark: metadata", error);
  }
  if (event->object.header.resource_version.empty()) {
    return absl::InvalidArgumentError("bookmark: metadata.resourceVersion is missing");
  }
  return absl::OkStatus();
}

error_code ReadStatusMember(std::string_view key, od::value value, WatchEvent* event) {
  if (key == "reason") return internal::ReadString(value, &event->reason);
  if (key == "message") return internal::ReadString(value, &event->message);
  if (key != "code") return simdjson::SUCCESS;
  int64_t code = 0;
  if (auto error = internal::ReadInt(value, &code)) return error;
  event->code = code >= 0 && code <= 999 ? static_cast<int>(code) : 0;
  return simdjson::SUCCESS;
}

absl::Status ReadError(od::object object, WatchEvent* event) {
  for (auto member : object) {
    od::field field;
    auto error = std::move(member).get(field);
    if (!error) error = ReadStatusMember(RawKey(field), field.value(), event);
    if (error) return JsonError("watch error: object", error);
  }
  return absl::OkStatus();
}

/// Searches a member that cannot exist, so that simdjson reads everything up to the closing brace.
error_code CheckRest(od::object root) {
  od::value value;
  const auto error = root.find_field("").get(value);
  return error == simdjson::NO_SUCH_FIELD ? simdjson::SUCCESS : error;
}

absl::StatusOr<WatchEvent> DecodeEvent(od::object root, const Projection& projection,
                                       internal::DecodeBuffers& buffers) {
  std::string_view type;
  if (auto error = root["type"].get_string().get(type))
    return JsonError("watch event: type", error);
  WatchEvent event;
  auto parsed = ParseType(type);
  if (!parsed.ok()) return parsed.status();
  event.type = *parsed;
  od::object object;
  if (auto error = root["object"].get_object().get(object)) {
    return JsonError("watch event: object", error);
  }
  absl::Status status;
  if (event.type == WatchEventType::kError) {
    status = ReadError(object, &event);
  } else if (event.type == WatchEventType::kBookmark) {
    status = ReadBookmark(object, &event);
  } else {
    status = internal::ObjectDecoder(projection, nullptr, buffers).Decode(object, &event.object);
  }
  if (!status.ok()) return status;
  if (auto error = CheckRest(root)) return JsonError("watch event", error);
  return event;
}

}  // namespace

absl::StatusOr<WatchEvent> DecodeWatchLine(std::string_view line, const Projection& projection) {
  static_assert(kLinePadding >= simdjson::SIMDJSON_PADDING);
  if (line.size() > internal::kMaxLineBytes) return TooLarge("watch event", line.size());
  std::unique_ptr<internal::DecodeBuffers> large;
  internal::DecodeBuffers& buffers = internal::BuffersFor(line.size(), &large);
  od::document document;
  od::object root;
  auto error =
      buffers.parser.iterate(line.data(), line.size(), line.size() + kLinePadding).get(document);
  if (!error) error = document.get_object().get(root);
  if (error) return NoObject(line, error);
  absl::StatusOr<WatchEvent> event = DecodeEvent(root, projection, buffers);
  if (!event.ok()) return event;
  if (absl::Status end = internal::CheckEnd("watch event", document); !end.ok()) return end;
  return event;
}

absl::StatusOr<DecodedObject> DecodeObject(std::string_view body, const Projection& projection) {
  if (body.size() > internal::kMaxLineBytes) return TooLarge("object", body.size());
  std::unique_ptr<internal::DecodeBuffers> large;
  internal::DecodeBuffers& buffers = internal::BuffersFor(body.size(), &large);
  const simdjson::padded_string padded(body);
  od::document document;
  od::object root;
  auto error = buffers.parser.iterate(padded).get(document);
  if (!error) error = document.get_object().get(root);
  if (error) return JsonError("object", error);
  DecodedObject object;
  absl::Status status = internal::ObjectDecoder(projection, nullptr, buffers).Decode(root, &object);
  if (status.ok()) status = internal::CheckEnd("object", document);
  if (!status.ok()) return status;
  return object;
}

}  // namespace xebec::kube
