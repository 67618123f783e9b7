// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

constexpr double kExact = 9007199254740992.0;  // 2^53
constexpr int kMaxDepth = static_cast<int>(JsonLimits().max_depth);

absl::Status DecodeValue(const Value& in, int depth, Json* out);

absl::Status DecodeNumber(double number, Json* out) {
  if (!std::isfinite(number)) return FieldError("", "NaN and infinite numbers are not valid JSON");
  const bool whole = std::trunc(number) == number && std::abs(number) <= kExact;
  *out = whole ? Json(static_cast<int64_t>(number)) : Json(number);
  return absl::OkStatus();
}

absl::Status CheckDepth(int depth) {
  if (depth <= kMaxDepth) return absl::OkStatus();
  return FieldError("", absl::StrCat("nested deeper than ", kMaxDepth, " levels"));
}

absl::Status DecodeMembers(const Struct& in, int depth, Json* out) {
  XEBEC_RETURN_IF_ERROR(CheckDepth(depth));
  *out = Json::object();
  for (const auto& [key, value] : in.fields()) {
    XEBEC_RETURN_IF_ERROR(Within(Ellipsize(key, 80), DecodeValue(value, depth + 1, &(*out)[key])));
  }
  return absl::OkStatus();
}

absl::Status DecodeElements(const ListValue& in, int depth, Json* out) {
  XEBEC_RETURN_IF_ERROR(CheckDepth(depth));
  *out = Json::array();
  for (int i = 0; i < in.values_size(); ++i) {
    out->emplace_back();
    const absl::Status status = DecodeValue(in.values(i), depth + 1, &out->back());
    if (!status.ok()) return Within(absl::StrCat("[", i, "]"), status);
  }
  return absl::OkStatus();
}

absl::Status DecodeValue(const Value& in, int depth, Json* out) {
  switch (in.kind_case()) {
    case Value::kNullValue:
      return absl::OkStatus();
    case Value::kNumberValue:
      return DecodeNumber(in.number_value(), out);
    case Value::kStringValue:
      *out = in.string_value();
      return absl::OkStatus();
    case Value::kBoolValue:
      *out = in.bool_value();
      return absl::OkStatus();
    case Value::kStructValue:
      return DecodeMembers(in.struct_value(), depth, out);
    case Value::kListValue:
      return DecodeElements(in.list_value(), depth, out);
    case Value::KIND_NOT_SET:
      break;
  }
  return FieldError("", "a value without a kind");
}

void EncodeValue(const Json& in, Value* out) {
  if (in.is_object()) {
    EncodeStruct(in, out->mutable_struct_value());
  } else if (in.is_array()) {
    ListValue* list = out->mutable_list_value();
    for (const Json& element : in) EncodeValue(element, list->add_values());
  } else if (in.is_string()) {
    out->set_string_value(ToValidUtf8(in.get_ref<const std::string&>()));
  } else if (in.is_boolean()) {
    out->set_bool_value(in.get<bool>());
  } else if (in.is_number()) {
    out->set_number_value(in.get<double>());
  } else {
    out->set_null_value(google::protobuf::NULL_VALUE);
  }
}

}  // namespace

absl::Status DecodeStruct(const Struct& in, Json* out) { return DecodeMembers(in, 1, out); }

void EncodeStruct(const Json& in, Struct* out) {
  if (!in.is_object()) return;
  for (const auto& [key, value] : in.get_ref<const Json::object_t&>()) {
    EncodeValue(value, &(*out->mutable_fields())[ToValidUtf8(key)]);
  }
}

}  // namespace xebec::codec
