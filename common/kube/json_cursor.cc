// SPDX-License-Identifier: Apache-2.0
#include "common/kube/json_cursor.h"

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::kube::internal {

simdjson::error_code IsNull(od::value& value, bool* is_null) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::null) return simdjson::SUCCESS;
  if (auto error = value.is_null().get(*is_null)) return error;
  return *is_null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
}

simdjson::error_code ReadString(od::value value, std::string_view* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  return value.get_string().get(*out);
}

simdjson::error_code ReadString(od::value value, std::string* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  std::string_view text;
  if (auto error = value.get_string().get(text)) return error;
  out->assign(text);
  return simdjson::SUCCESS;
}

simdjson::error_code ReadInt(od::value value, int64_t* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  return value.get_int64().get(*out);
}

simdjson::error_code ReadBool(od::value value, bool* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  return value.get_bool().get(*out);
}

simdjson::error_code ReadRaw(od::value value, std::string_view* out) {
  return simdjson::to_json_string(value).get(*out);
}

std::string_view RawKey(const od::field& field) {
  const char* begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<size_t>(end - begin)};
}

void AppendMember(std::string_view key, std::string_view raw_value, std::string* out) {
  if (out->back() != '{') out->push_back(',');
  out->push_back('"');
  out->append(key);
  out->append("\":");
  out->append(raw_value);
}

absl::Status CheckEnd(std::string_view where, od::document& document) {
  if (document.current_location().error() == simdjson::OUT_OF_BOUNDS) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(where), ": unexpected text after the end"));
}

absl::Status JsonError(std::string_view where, simdjson::error_code code) {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(where), ": ", simdjson::error_message(code)));
}

}  // namespace xebec::kube::internal
