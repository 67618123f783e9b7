// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/uid.h"

namespace xebec::watcher {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kUuidSize = 36;

// Negative for anything but a digit in lower case.
int ValueOf(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool IsDash(size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

// False unless `text` is a UUID in lower case, which str() gives back letter by letter.
bool ParseUuid(std::string_view text, std::array<uint8_t, 16>* bytes) {
  if (text.size() != kUuidSize) return false;
  size_t digits = 0;
  for (size_t i = 0; i < kUuidSize; ++i) {
    if (IsDash(i) != (text[i] == '-')) return false;
    if (IsDash(i)) continue;
    const int value = ValueOf(text[i]);
    if (value < 0) return false;
    uint8_t& byte = (*bytes)[digits / 2];
    byte = static_cast<uint8_t>(byte << 4 | value);
    ++digits;
  }
  return true;
}

}  // namespace

Uid::Uid(std::string_view text) {
  if (text.empty()) return;
  const bool uuid = ParseUuid(text, &bytes_) && bytes_ != Bytes{};
  if (uuid) return;
  bytes_ = {};
  text_ = std::make_unique<const std::string>(text);
}

Uid::Uid(const Uid& other) { *this = other; }

Uid& Uid::operator=(const Uid& other) {
  bytes_ = other.bytes_;
  if (this == &other) return *this;
  text_ = other.text_ == nullptr ? nullptr : std::make_unique<const std::string>(*other.text_);
  return *this;
}

std::string Uid::str() const {
  if (text_ != nullptr) return *text_;
  std::string text;
  if (empty()) return text;
  text.reserve(kUuidSize);
  for (const uint8_t byte : bytes_) {
    if (IsDash(text.size())) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::strong_ordering operator<=>(const Uid& a, const Uid& b) {
  if (a.text_ == nullptr && b.text_ == nullptr) return a.bytes_ <=> b.bytes_;
  if (a.text_ == nullptr || b.text_ == nullptr)
    return (a.text_ != nullptr) <=> (b.text_ != nullptr);
  return a.text_->compare(*b.text_) <=> 0;
}

bool operator==(const Uid& a, const Uid& b) {
  if (a.text_ == nullptr && b.text_ == nullptr) return a.bytes_ == b.bytes_;
  return (a <=> b) == std::strong_ordering::equal;
}

}  // namespace xebec::watcher
