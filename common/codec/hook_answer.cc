// SPDX-License-Identifier: Apache-2.0
#include "common/codec/hook_answer.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;

constexpr int kMaxUnknown = 100;
// 500 children with 100 events each, 500 deletions with 50, and all their fields are 380,000.
constexpr size_t kMaxJsonValues = 400'000;

absl::Status NotAnAnswer() {
  return absl::InvalidArgumentError("it is not a xebec.hooks.v1.SyncResponse");
}

int LimitOf(const FieldDescriptor& list) {
  if (list.name() == "children" || list.name() == "deletions") return kMaxHookChildren;
  return list.name() == "conditions" ? kMaxHookConditions : kMaxHookEvents;
}

bool IsKnown(const FieldDescriptor* field, uint32_t tag) {
  if (field == nullptr) return false;
  const auto type = static_cast<WireFormatLite::FieldType>(field->type());
  return WireFormatLite::WireTypeForFieldType(type) == WireFormatLite::GetTagWireType(tag);
}

/// Walks the fields of a message and counts the entries of its lists.
class Walk {
 public:
  explicit Walk(std::string_view bytes)
      : in_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  absl::Status Run() {
    Counts counts;
    return Message(*xebec::hooks::v1::SyncResponse::descriptor(), &counts);
  }

 private:
  using Counts = std::map<const FieldDescriptor*, int>;

  absl::Status Message(const Descriptor& type, Counts* counts) {
    uint32_t tag = 0;
    while ((tag = in_.ReadTag()) != 0) {
      const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      const bool known = IsKnown(field, tag);
      const bool enter = known && field->message_type() != nullptr;
      XEBEC_RETURN_IF_ERROR(enter ? Enter(*field, counts) : Skip(tag, known));
    }
    return in_.ConsumedEntireMessage() ? CheckCounts(*counts) : NotAnAnswer();
  }

  // The parser merges the occurrences of a field that is no list, so these share their counts.
  absl::Status Enter(const FieldDescriptor& field, Counts* counts) {
    uint32_t size = 0;
    if (!in_.ReadVarint32(&size) || size > static_cast<uint32_t>(in_.BytesUntilLimit()))
      return NotAnAnswer();
    const auto outer = in_.PushLimit(static_cast<int>(size));
    absl::Status status =
        field.is_repeated() ? Entry(field, (*counts)[&field]++) : Within(field, counts);
    in_.PopLimit(outer);
    return status;
  }

  absl::Status Entry(const FieldDescriptor& list, int index) {
    if (index >= LimitOf(list)) return SkipAll();
    Counts counts;
    absl::Status status = Message(*list.message_type(), &counts);
    if (status.ok() || absl::IsInvalidArgument(status)) return status;
    return {status.code(), absl::StrCat(list.name(), "[", index, "]: ", status.message())};
  }

  absl::Status Within(const FieldDescriptor& field, Counts* counts) {
    absl::Status status = Message(*field.message_type(), counts);
    if (status.ok() || absl::IsInvalidArgument(status)) return status;
    return {status.code(), absl::StrCat(field.name(), ".", status.message())};
  }

  absl::Status SkipAll() {
    return in_.Skip(in_.BytesUntilLimit()) ? absl::OkStatus() : NotAnAnswer();
  }

  // A group can hide any number of fields, and no version of the contract has one.
  absl::Status Skip(uint32_t tag, bool known) {
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_START_GROUP ||
        !WireFormatLite::SkipField(&in_, tag)) {
      return NotAnAnswer();
    }
    if (known || ++unknown_ <= kMaxUnknown) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("a message has more than ", kMaxUnknown,
                     " fields that this version of Xebec does not know: use the SDK of this "
                     "version"));
  }

  static absl::Status CheckCounts(const Counts& counts) {
    for (const auto& [list, count] : counts) {
      if (count <= LimitOf(*list)) continue;
      return absl::ResourceExhaustedError(
          absl::StrCat(list->name(), " has ", count, " entries; the limit is ", LimitOf(*list)));
    }
    return absl::OkStatus();
  }

  google::protobuf::io::CodedInputStream in_;
  int unknown_ = 0;
};

}  // namespace

absl::Status CheckHookAnswer(std::string_view bytes) { return Walk(bytes).Run(); }

absl::Status CheckHookJson(std::string_view json) {
  size_t values = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (quoted && json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (json[i] == ',' || json[i] == '[' || json[i] == '{')) {
      ++values;
    }
  }
  if (values <= kMaxJsonValues) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("it has more than ", kMaxJsonValues, " values"));
}

}  // namespace xebec::codec
