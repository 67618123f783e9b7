// SPDX-License-Identifier: Apache-2.0
#include "common/base/json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/json_locate.h"
#include "common/base/json_text.h"
#include "simdjson.h"

namespace xebec {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kDeepest = 1000;  // deeper recursion could exceed a thread's stack
// A parser's buffers have 14 times the size of its largest document.
constexpr size_t kKeptParserBytes = 32 * 1024;
constexpr size_t kUsualTextBytes = 512;

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

/// A parser for a document of `bytes`: this thread's own where one of usual size is parsed, for a
/// new one costs more than to parse a small document; else `*other`, made here.
dom::parser& ParserFor(size_t bytes, size_t depth, std::unique_ptr<dom::parser>* other) {
  thread_local dom::parser own;
  const bool usual = bytes <= kKeptParserBytes && depth == JsonLimits().max_depth;
  if (!usual) *other = std::make_unique<dom::parser>();
  return usual ? own : **other;
}

simdjson::error_code Reserve(dom::parser& parser, size_t bytes, size_t depth) {
  const size_t needed = std::max<size_t>(bytes, 1024);
  if (parser.capacity() >= needed && parser.max_depth() == depth) return simdjson::SUCCESS;
  return parser.allocate(needed <= kKeptParserBytes ? std::bit_ceil(needed) : needed, depth);
}

/// A parsed document; `root` is valid as long as this is and no other is parsed in this thread.
struct Document {
  std::unique_ptr<dom::parser> own_parser;
  dom::element root;
};

absl::Status ParseDom(std::string_view text, const JsonLimits& limits, Document* out) {
  if (text.size() > limits.max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "JSON of ", text.size(), " bytes is larger than the limit of ", limits.max_bytes));
  }
  const size_t depth = DepthLimit(limits);
  dom::parser& parser = ParserFor(text.size(), depth, &out->own_parser);
  simdjson::error_code error = Reserve(parser, text.size(), depth + 2);
  if (error == simdjson::SUCCESS) error = parser.parse(text.data(), text.size()).get(out->root);
  if (error == simdjson::SUCCESS) return absl::OkStatus();
  if (error == simdjson::DEPTH_ERROR) return TooDeep(limits);
  return Malformed(text, limits, simdjson::error_message(error));
}

/// Builds the tree. The parser has limited the depth, so the recursion is bounded.
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
      const size_t before = members.size();
      members.try_emplace(members.end(), std::string(key), Build(value, depth + 1));
      duplicate_ = duplicate_ || members.size() == before;
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
  Document document;
  if (absl::Status status = ParseDom(text, limits, &document); !status.ok()) return status;
  TreeBuilder builder(DepthLimit(limits));
  Json json = builder.Build(document.root);
  if (builder.too_deep()) return TooDeep(limits);
  if (builder.duplicate()) return Malformed(text, limits, "duplicate key");
  return json;
}

absl::Status CheckJsonObject(std::string_view text, const JsonLimits& limits) {
  Document document;
  if (absl::Status status = ParseDom(text, limits, &document); !status.ok()) return status;
  if (!document.root.is_object()) return absl::InvalidArgumentError("JSON: expected an object");
  return absl::OkStatus();
}

std::string DumpJson(const Json& json) {
  std::string text;
  if (json.is_structured()) text.reserve(kUsualTextBytes);
  AppendJson(json, &text);
  return text;
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
