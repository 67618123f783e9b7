// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/spec_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/characters.h"
#include "common/base/strings.h"

namespace xebec::planner {
namespace {

std::string Shown(const Json& value) { return Ellipsize(DumpJson(value), 60); }

// Values that the API server drops when it stores an object: null, {}, [].
bool IsEmpty(const Json& value) {
  return value.is_null() || (value.is_structured() && value.empty());
}

Json WithoutEmpty(const Json& value) {
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, member] : value.items()) {
    Json kept = WithoutEmpty(member);
    if (!IsEmpty(kept)) out[key] = std::move(kept);
  }
  return out;
}

// Accepts more than older API servers and no more than newer ones.
bool CanNameVariable(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

Json EnvEntry(const Json& entry) {
  Json out = WithoutEmpty(entry);
  const auto value = out.find("value");
  if (value != out.end() && *value == Json("")) out.erase(value);
  return out;
}

}  // namespace

SpecReader::SpecReader(const Json& parent) : spec_(Find(parent, {"spec"})) {
  if (spec_ != nullptr && spec_->is_null()) spec_ = nullptr;
  if (spec_ == nullptr || spec_->is_object()) return;
  error_ = absl::StrCat("spec must be an object, not ", Shown(*spec_));
  spec_ = nullptr;
}

const Json* SpecReader::Field(std::string_view field) const {
  if (spec_ == nullptr) return nullptr;
  const Json* value = Find(*spec_, {field});
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool SpecReader::Has(std::string_view field) const { return Field(field) != nullptr; }

void SpecReader::Fail(std::string_view field, std::string_view what) {
  if (error_.has_value()) return;
  error_ = absl::StrCat("spec.", ToAbsl(field), " ", ToAbsl(what));
}

int64_t SpecReader::Int(std::string_view field, int64_t fallback, int64_t min, int64_t max) {
  const Json* value = Field(field);
  if (value == nullptr) return fallback;
  const std::optional<int64_t> number = FindInt(*spec_, {field});
  if (number.has_value() && *number >= min && *number <= max) return *number;
  Fail(field, absl::StrCat("must be an integer from ", min, " to ", max, ", not ", Shown(*value)));
  return fallback;
}

bool SpecReader::Bool(std::string_view field, bool fallback) {
  const Json* value = Field(field);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  Fail(field, absl::StrCat("must be true or false, not ", Shown(*value)));
  return fallback;
}

std::string SpecReader::String(std::string_view field, std::string_view fallback,
                               size_t max_characters) {
  const Json* value = Field(field);
  if (value == nullptr) return std::string(fallback);
  if (!value->is_string()) {
    Fail(field, absl::StrCat("must be a string, not ", Shown(*value)));
    return std::string(fallback);
  }
  const auto& text = value->get_ref<const std::string&>();
  if (const size_t length = CountCharacters(text); length > max_characters) {
    Fail(field, absl::StrCat("must be at most ", max_characters, " characters long, not ", length));
    return std::string(fallback);
  }
  return text.empty() ? std::string(fallback) : text;
}

std::string SpecReader::Image(std::string_view field, std::string_view fallback) {
  std::string image = String(field, fallback);
  if (absl::StripAsciiWhitespace(image).size() == image.size()) return image;
  Fail(field, absl::StrCat("must not begin or end with a blank: ", Shown(image)));
  return std::string(fallback);
}

std::vector<std::string> SpecReader::Strings(std::string_view field, size_t max_items) {
  const Json* value = Field(field);
  if (value == nullptr) return {};
  std::vector<std::string> out;
  bool fits = value->is_array() && value->size() <= max_items;
  for (size_t i = 0; fits && i < value->size(); ++i) {
    fits = (*value)[i].is_string();
    if (fits) out.push_back((*value)[i].get<std::string>());
  }
  if (fits) return out;
  Fail(field, absl::StrCat("must be a list of at most ", max_items, " strings"));
  return {};
}

Json SpecReader::Env(std::string_view field) {
  const Json* value = Field(field);
  Json out = Json::array();
  if (value == nullptr) return out;
  if (!value->is_array() || value->size() > 1000) {
    Fail(field, "must be a list of at most 1000 variables");
    return out;
  }
  std::set<std::string> names;
  for (const Json& entry : *value) {
    const std::string name = FindString(entry, {"name"});
    if (name.empty()) {
      Fail(field, absl::StrCat("has an entry without a name: ", Shown(entry)));
    } else if (!CanNameVariable(name)) {
      Fail(field, absl::StrCat("has the name ", Shown(name), ", which no variable can have"));
    } else if (!names.insert(name).second) {
      Fail(field, absl::StrCat("names \"", name, "\" twice"));
    } else {
      out.push_back(EnvEntry(entry));
    }
  }
  return out;
}

Json SpecReader::Objects(std::string_view field, size_t max_items) {
  const Json* value = Field(field);
  Json out = Json::array();
  if (value == nullptr) return out;
  if (!value->is_array() || value->size() > max_items) {
    Fail(field, absl::StrCat("must be a list of at most ", max_items, " objects"));
    return out;
  }
  for (const Json& entry : *value) {
    if (!entry.is_object()) {
      Fail(field, absl::StrCat("must have objects only, not ", Shown(entry)));
      return Json::array();
    }
    out.push_back(WithoutEmpty(entry));
  }
  return out;
}

Json SpecReader::Object(std::string_view field) {
  const Json* value = Field(field);
  if (value == nullptr) return Json::object();
  if (value->is_object()) return WithoutEmpty(*value);
  Fail(field, absl::StrCat("must be an object, not ", Shown(*value)));
  return Json::object();
}

}  // namespace xebec::planner
