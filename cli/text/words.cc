// SPDX-License-Identifier: Apache-2.0
#include "cli/text/words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/characters.h"
#include "common/base/strings.h"

namespace xebec::cli {
namespace {

/// Bytes of the character that begins at `i`, in valid UTF-8.
size_t LengthAt(std::string_view text, size_t i) {
  size_t end = i + 1;
  while (end < text.size() && IsContinuation(text[end])) ++end;
  return end - i;
}

bool IsWithin(char byte, unsigned char first, unsigned char last) {
  const auto value = static_cast<unsigned char>(byte);
  return first <= value && value <= last;
}

/// Control characters (C0, DEL, C1: U+0080 to U+009F), and those that turn the direction of writing
/// (U+202A to U+202E, U+2066 to U+2069).
bool IsObeyed(std::string_view character) {
  if (character.size() == 1) return absl::ascii_iscntrl(character[0]);
  if (character.size() == 2) return character[0] == '\xC2' && character[1] < '\xA0';
  return (character.starts_with("\xE2\x80") && IsWithin(character[2], 0xAA, 0xAE)) ||
         (character.starts_with("\xE2\x81") && IsWithin(character[2], 0xA6, 0xA9));
}

}  // namespace

std::string EnumWord(std::string_view value, std::string_view prefix) {
  if (value.starts_with(prefix)) value.remove_prefix(prefix.size());
  std::string word;
  bool begins = true;
  for (const char letter : value) {
    if (letter != '_') word += begins ? letter : absl::ascii_tolower(letter);
    begins = letter == '_';
  }
  return word;
}

std::string Span(absl::Duration span) {
  const int64_t seconds = absl::ToInt64Seconds(std::max(span, absl::ZeroDuration()));
  if (seconds < 120) return absl::StrCat(seconds, "s");
  if (seconds < 120 * 60) return absl::StrCat(seconds / 60, "m");
  if (seconds < 48 * 60 * 60) return absl::StrCat(seconds / (60 * 60), "h");
  return absl::StrCat(seconds / (24 * 60 * 60), "d");
}

std::string OneLine(std::string_view text) {
  std::string line;
  const std::string valid = ToValidUtf8(text);
  for (size_t i = 0; i < valid.size();) {
    const size_t length = LengthAt(valid, i);
    const std::string_view character = std::string_view(valid).substr(i, length);
    if (IsObeyed(character)) {
      line += ' ';
    } else {
      line += character;
    }
    i += length;
  }
  return line;
}

std::string Count(size_t number, std::string_view noun) {
  return absl::StrCat(number, " ", ToAbsl(noun), number == 1 ? "" : "s");
}

}  // namespace xebec::cli
