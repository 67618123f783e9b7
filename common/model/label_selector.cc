// SPDX-License-Identifier: Apache-2.0
#include "common/model/label_selector.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/model/names.h"

namespace xebec {
namespace {

// Splits at the commas outside of parentheses.
std::vector<std::string> SplitRequirements(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    c == ',' && depth == 0 ? static_cast<void>(parts.emplace_back()) : parts.back().push_back(c);
  }
  return parts;
}

std::string Trimmed(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

bool IsLabelText(std::string_view text) {
  const auto inner = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  };
  return text.size() <= kMaxLabel && std::all_of(text.begin(), text.end(), inner) &&
         (text.empty() || (absl::ascii_isalnum(static_cast<unsigned char>(text.front())) &&
                           absl::ascii_isalnum(static_cast<unsigned char>(text.back()))));
}

// "app" or "example.com/app".
bool IsLabelKey(const std::string& key) {
  const size_t slash = key.find('/');
  const std::string name = slash == std::string::npos ? key : key.substr(slash + 1);
  const bool prefixed = slash == std::string::npos || IsDns1123Subdomain(key.substr(0, slash));
  return prefixed && !name.empty() && IsLabelText(name);
}

absl::Status WrongRequirement(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "has the requirement \"", std::string(text),
      "\", which is none of: key=value, key!=value, key in (a, b), key notin (a, b), key, !key"));
}

// Takes the operator between the key and the values, such as "!=". Returns false if it is absent.
bool SplitAt(std::string_view text, std::string_view op, std::string* key, std::string* values) {
  const size_t at = text.find(op);
  if (at == std::string_view::npos) return false;
  *key = Trimmed(ToAbsl(text.substr(0, at)));
  *values = Trimmed(ToAbsl(text.substr(at + op.size())));
  return true;
}

// The values of "(a, b)".
bool ReadList(const std::string& text, std::set<std::string>* values) {
  absl::string_view list = text;
  if (!absl::ConsumePrefix(&list, "(") || !absl::ConsumeSuffix(&list, ")")) return false;
  for (const absl::string_view each : absl::StrSplit(list, ',')) values->insert(Trimmed(each));
  return true;
}

}  // namespace

absl::StatusOr<LabelSelector::Requirement> LabelSelector::ParseRequirement(std::string_view text) {
  Requirement out;
  std::string values;
  bool listed = true;
  const std::string whole = Trimmed(ToAbsl(text));
  if (whole.front() == '!' && !absl::StrContains(whole, "=")) {
    out.key = Trimmed(whole.substr(1));
    out.op = Operator::kAbsent;
  } else if (SplitAt(whole, "!=", &out.key, &values)) {
    out.op = Operator::kNotIn;
    out.values = {values};
  } else if (SplitAt(whole, "==", &out.key, &values) || SplitAt(whole, "=", &out.key, &values)) {
    out.op = Operator::kIn;
    out.values = {values};
  } else if (SplitAt(whole, " notin ", &out.key, &values)) {
    out.op = Operator::kNotIn;
    listed = ReadList(values, &out.values);
  } else if (SplitAt(whole, " in ", &out.key, &values)) {
    out.op = Operator::kIn;
    listed = ReadList(values, &out.values);
  } else {
    out.key = whole;
  }
  const bool good = listed && IsLabelKey(out.key) &&
                    std::all_of(out.values.begin(), out.values.end(), IsLabelText);
  if (!good) return WrongRequirement(whole);
  return out;
}

absl::StatusOr<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (Trimmed(ToAbsl(text)).empty()) return selector;
  for (const std::string& each : SplitRequirements(text)) {
    if (Trimmed(each).empty()) return WrongRequirement("");
    absl::StatusOr<Requirement> requirement = ParseRequirement(each);
    if (!requirement.ok()) return requirement.status();
    selector.requirements_.push_back(*std::move(requirement));
  }
  return selector;
}

bool LabelSelector::Matches(const Json* labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [labels](const Requirement& each) {
    const Json* value = labels == nullptr ? nullptr : Find(*labels, {each.key});
    if (value == nullptr || !value->is_string()) {
      return each.op == Operator::kAbsent || each.op == Operator::kNotIn;
    }
    if (each.op == Operator::kExists || each.op == Operator::kAbsent) {
      return each.op == Operator::kExists;
    }
    return each.values.contains(value->get<std::string>()) == (each.op == Operator::kIn);
  });
}

}  // namespace xebec
