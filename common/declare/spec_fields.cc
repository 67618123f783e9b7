// SPDX-License-Identifier: Apache-2.0
#include "common/declare/spec_fields.h"

#include "absl/strings/str_cat.h"

namespace xebec {

std::string SpecFields::PathOf(std::string_view field) const {
  return field.empty() ? path_ : absl::StrCat(path_, ".", std::string(field));
}

void SpecFields::Fail(std::string_view field, std::string_view what) const {
  if (error_->empty()) *error_ = absl::StrCat(PathOf(field), " ", std::string(what));
}

const Json* SpecFields::Field(std::string_view field) const {
  if (object_ == nullptr || !object_->is_object()) return nullptr;
  const auto found = object_->find(field);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::string SpecFields::String(std::string_view field) const {
  const Json* value = Field(field);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  Fail(field, "must be a string");
  return "";
}

bool SpecFields::Bool(std::string_view field, bool fallback) const {
  const Json* value = Field(field);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  Fail(field, "must be true or false");
  return fallback;
}

int64_t SpecFields::Int(std::string_view field, int64_t min, int64_t max) const {
  const Json* value = Field(field);
  const std::optional<int64_t> number = value == nullptr ? std::nullopt : AsInt(*value);
  if (number && *number >= min && *number <= max) return *number;
  Fail(field, absl::StrCat("must be an integer from ", min, " to ", max));
  return min;
}

std::optional<absl::Duration> SpecFields::Span(std::string_view field, absl::Duration min,
                                               absl::Duration max) const {
  if (!Has(field)) return std::nullopt;
  absl::Duration span;
  const std::string text = String(field);
  if (absl::ParseDuration(text, &span) && span >= min && span <= max) return span;
  Fail(field, absl::StrCat("must be a duration from ", absl::FormatDuration(min), " to ",
                           absl::FormatDuration(max), ", for example \"10s\""));
  return std::nullopt;
}

std::vector<std::string> SpecFields::Strings(std::string_view field) const {
  const Json* value = Field(field);
  if (value == nullptr) return {};
  std::vector<std::string> strings;
  for (const Json& each : *value) {
    if (each.is_string()) strings.push_back(each.get<std::string>());
  }
  if (!value->is_array() || strings.size() != value->size()) {
    Fail(field, "must be a list of strings");
    return {};
  }
  return strings;
}

SpecFields SpecFields::Object(std::string_view field) const {
  const Json* value = Field(field);
  if (value != nullptr && !value->is_object()) {
    Fail(field, "must be an object");
    value = nullptr;
  }
  return {value, PathOf(field), error_};
}

std::vector<SpecFields> SpecFields::Objects(std::string_view field) const {
  const Json* value = Field(field);
  if (value == nullptr) return {};
  if (!value->is_array()) {
    Fail(field, "must be a list");
    return {};
  }
  std::vector<SpecFields> objects;
  for (size_t i = 0; i < value->size(); ++i) {
    const std::string path = absl::StrCat(PathOf(field), "[", i, "]");
    objects.emplace_back(&(*value)[i], path, error_);
    if (!(*value)[i].is_object()) objects.back().Fail("", "must be an object");
  }
  return objects;
}

std::string SpecFields::Text(std::string_view field) const {
  const Json* value = Field(field);
  if (value == nullptr) return "";
  if (value->is_object()) return DumpJson(*value);
  Fail(field, "must be an object");
  return "";
}

}  // namespace xebec
