// SPDX-License-Identifier: Apache-2.0
#include "common/model/names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/digest.h"
#include "common/base/strings.h"

namespace xebec {
namespace {

constexpr size_t kDigestDigits = 8;

bool IsAlphanumeric(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

bool IsLowerAlphanumeric(char c) {
  return IsAlphanumeric(c) && !absl::ascii_isupper(static_cast<unsigned char>(c));
}

/// Removes trailing characters that a name must not have before a dash.
std::string_view TrimEnd(std::string_view s) {
  while (!s.empty() && !IsAlphanumeric(s.back())) s.remove_suffix(1);
  return s;
}

/// Returns the beginning of `name`, "-" and a digest of `digested`, at most `limit` bytes together.
std::string CutAndHash(std::string_view name, std::string_view digested, size_t limit) {
  const std::string digest = ShortDigest(digested, kDigestDigits);
  if (limit <= kDigestDigits + 1) return digest.substr(0, limit);
  const std::string_view kept = TrimEnd(name.substr(0, limit - kDigestDigits - 1));
  return kept.empty() ? digest : absl::StrCat(ToAbsl(kept), "-", digest);
}

bool IsDnsPart(std::string_view part) {
  return !part.empty() && IsLowerAlphanumeric(part.front()) && IsLowerAlphanumeric(part.back()) &&
         std::ranges::all_of(part, [](char c) { return IsLowerAlphanumeric(c) || c == '-'; });
}

bool IsLabelCharacter(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool IsLabelValue(std::string_view value) {
  if (value.empty()) return true;
  return value.size() <= kMaxLabel && IsAlphanumeric(value.front()) &&
         IsAlphanumeric(value.back()) && std::ranges::all_of(value, IsLabelCharacter);
}

}  // namespace

std::string BoundedName(std::string_view name, size_t limit) {
  return name.size() <= limit ? std::string(name) : CutAndHash(name, name, limit);
}

std::string BoundedName(std::string_view base, std::string_view suffix, size_t limit) {
  if (base.size() + suffix.size() <= limit) return absl::StrCat(ToAbsl(base), ToAbsl(suffix));
  const size_t room = limit > suffix.size() ? limit - suffix.size() : 0;
  return CutAndHash(base, base, room).append(suffix);
}

std::string LabelValue(std::string_view name) {
  if (IsLabelValue(name)) return std::string(name);
  std::string cleaned(name);
  std::ranges::replace_if(
      cleaned, [](char c) { return !IsLabelCharacter(c); }, '-');
  const size_t start = std::ranges::find_if(cleaned, IsAlphanumeric) - cleaned.begin();
  const std::string_view rest = cleaned;
  return CutAndHash(rest.substr(start), name, kMaxLabel);
}

bool IsDns1123Subdomain(std::string_view name) {
  if (name.empty() || name.size() > kMaxObjectName) return false;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(name), '.')) {
    if (!IsDnsPart(ToStd(part))) return false;
  }
  return true;
}

bool IsDns1123Label(std::string_view name) { return name.size() <= kMaxLabel && IsDnsPart(name); }

}  // namespace xebec
