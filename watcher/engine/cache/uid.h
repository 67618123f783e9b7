// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace xebec::watcher {

/// An object's uid. UUIDs as API servers make them take 16 bytes and no allocation; any other text
/// is kept as it is. A value.
class Uid {
 public:
  Uid() = default;
  Uid(std::string_view text);  // NOLINT: a uid is a text, only smaller
  Uid(const std::string& text) : Uid(std::string_view(text)) {}  // NOLINT
  Uid(const char* text) : Uid(std::string_view(text)) {}         // NOLINT

  bool empty() const { return kind_ == Kind::kEmpty; }
  std::string str() const;
  operator std::string() const { return str(); }  // NOLINT

  friend bool operator==(const Uid& a, const Uid& b);
  friend std::strong_ordering operator<=>(const Uid& a, const Uid& b);

 private:
  enum class Kind : uint8_t { kEmpty, kUuid, kText };

  std::array<uint8_t, 16> bytes_ = {};       // of a UUID
  std::shared_ptr<const std::string> text_;  // of any other
  Kind kind_ = Kind::kEmpty;
};

}  // namespace xebec::watcher
