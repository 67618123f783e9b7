// SPDX-License-Identifier: Apache-2.0
#include "common/base/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/json_locate.h"
#include "simdjson.h"

namespace xebec {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kDeepest = 1000;  // what recursion bears on any thread's stack

size_t DepthLimit(const JsonLimits& limits) { return std::min(limits.max_depth, kDeepest); }

absl::Status TooDeep(const JsonLimits& limits) {
  return absl::ResourceExhaustedError(
      absl::StrCat("JSON is nested deeper than ", DepthLimit(limits), " levels"));
}

absl::Status Malformed(std::string_view text, const JsonLimits& limits,
                       const std::string& otherwise) {
  const JsonFault fault = LocateJsonFault(text, DepthLimit(limits));
  if (fault.what.empty()) return absl::InvalidArgumentError(absl::StrCat("JSON: ", otherwise));
  return absl::InvalidArgumentError(
      absl::StrCat("JSON: ", fault.what, " at ", DescribePosition(text, fault.offset)));
}

absl::Status ParseDom(std::string_view text, const JsonLimits& limits, dom::parser& parser,
                      dom::element& out) {
  if (text.size() > limits.max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "JSON of ", text.size(), " bytes is larger than the limit of ", limits.max_bytes));
  }
  simdjson::error_code error =
      parser.allocate(std::max<size_t>(text.size(), 64), DepthLimit(limits) + 2);
  if (error == simdjson::SUCCESS) error = parser.parse(text.data(), text.size()).get(out);
  if (error == simdjson::SUCCESS) return absl::OkStatus();
  if (error == simdjson::DEPTH_ERROR) return TooDeep(limits);
  return Malformed(text, limits, simdjson::error_message(error));
}

/// Builds the tree; recursion is bounded by the depth that the parser allowed.
class TreeBuilder {
 public:
  explicit TreeBuilder(size_t max_depth) : max_depth_(max_depth) {}

  Json Build(dom::element element, size_t depth = 1) {
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return BuildObject(element.get_object().value_unsafe(), depth);
      case dom::element_type::ARRAY:
        return BuildArray(element.get_array().value_unsafe(), depth);
      case dom::element_type::STRING:
        return Json(std::string(element.get_string().value_unsafe()));
      case dom::element_type::INT64:
        return Json(element.get_int64().value_unsafe());
      case dom::element_type::UINT64:
        return Json(element.get_uint64().value_unsafe());
      case dom::element_type::DOUBLE:
        return Json(element.get_double().value_unsafe());
      case dom::element_type::BOOL:
        return Json(element.get_bool().value_unsafe());
      case dom::element_type::NULL_VALUE:
        return Json();
    }
    return Json();
  }

  bool too_deep() const { return too_deep_; }
  bool duplicate() const { return duplicate_; }

 private:
  Json BuildObject(dom::object object, size_t depth) {
    Json json = Json::object();
    if (TooDeep(depth)) return json;
    auto& members = json.get_ref<Json::object_t&>();
    for (const auto [key, value] : object) {
      const bool added = members.try_emplace(std::string(key), Build(value, depth + 1)).second;
      duplicate_ = duplicate_ || !added;
    }
    return json;
  }

  Json BuildArray(dom::array array, size_t depth) {
    Json json = Json::array();
    if (TooDeep(depth)) return json;
    auto& elements = json.get_ref<Json::array_t&>();
    elements.reserve(array.size());
    for (const dom::element value : array) elements.push_back(Build(value, depth + 1));
    return json;
  }

  bool TooDeep(size_t depth) {
    too_deep_ = too_deep_ || depth > max_depth_;
    return depth > max_depth_;
  }

  const size_t max_depth_;
  bool too_deep_ = false;
  bool duplicate_ = false;
};

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  dom::parser parser;
  dom::element element;
  if (absl::Status status = ParseDom(text, limits, parser, element); !status.ok()) return status;
  TreeBuilder builder(DepthLimit(limits));
  Json json = builder.Build(element);
  if (builder.too_deep()) return TooDeep(limits);
  if (builder.duplicate()) return Malformed(text, limits, "duplicate key");
  return json;
}

absl::Status CheckJsonObject(std::string_view text, const JsonLimits& limits) {
  dom::parser parser;
  dom::element element;
  if (absl::Status status = ParseDom(text, limits, parser, element); !status.ok()) return status;
  if (!element.is_object()) return absl::InvalidArgumentError("JSON: an object is needed");
  return absl::OkStatus();
}

std::string DumpJson(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* Find(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto& members = at->get_ref<const Json::object_t&>();
    const auto found = members.find(key);
    if (found == members.end()) return nullptr;
    at = &found->second;
  }
  return at;
}

std::string FindString(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* value = Find(json, path);
  return value != nullptr && value->is_string() ? value->get_ref<const std::string&>() : "";
}

std::optional<int64_t> FindInt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* value = Find(json, path);
  return value != nullptr ? AsInt(*value) : std::nullopt;
}

std::optional<bool> FindBool(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* value = Find(json, path);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

std::optional<int64_t> AsInt(const Json& value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (std::trunc(number) != number || number < -kLimit || number >= kLimit) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace xebec
