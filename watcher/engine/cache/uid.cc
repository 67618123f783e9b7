// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/uid.h"

namespace xebec::watcher {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kUuidSize = 36;

bool IsDash(size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

// False unless `text` is a UUID in lower case, which str() gives back letter by letter.
bool ParseUuid(std::string_view text, std::array<uint8_t, 16>* bytes) {
  if (text.size() != kUuidSize) return false;
  size_t digits = 0;
  for (size_t i = 0; i < kUuidSize; ++i) {
    if (IsDash(i) != (text[i] == '-')) return false;
    if (IsDash(i)) continue;
    const size_t value = kDigits.find(text[i]);
    if (value == std::string_view::npos) return false;
    uint8_t& byte = (*bytes)[digits / 2];
    byte = static_cast<uint8_t>(byte << 4 | value);
    ++digits;
  }
  return true;
}

}  // namespace

Uid::Uid(std::string_view text) {
  if (text.empty()) return;
  kind_ = ParseUuid(text, &bytes_) ? Kind::kUuid : Kind::kText;
  if (kind_ == Kind::kUuid) return;
  bytes_ = {};
  text_ = std::make_shared<const std::string>(text);
}

std::string Uid::str() const {
  if (kind_ == Kind::kText) return *text_;
  std::string text;
  if (kind_ == Kind::kEmpty) return text;
  text.reserve(kUuidSize);
  for (const uint8_t byte : bytes_) {
    if (IsDash(text.size())) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::strong_ordering operator<=>(const Uid& a, const Uid& b) {
  if (a.kind_ != b.kind_) return a.kind_ <=> b.kind_;
  if (a.kind_ == Uid::Kind::kText) return a.text_->compare(*b.text_) <=> 0;
  return a.bytes_ <=> b.bytes_;
}

bool operator==(const Uid& a, const Uid& b) { return (a <=> b) == std::strong_ordering::equal; }

}  // namespace xebec::watcher
