// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace xebec::watcher {

/// An object's uid. UUIDs as API servers make them take 16 bytes and no allocation; any other text
/// is kept as it is. A value.
class Uid {
 public:
  Uid() = default;
  Uid(std::string_view text);  // NOLINT: a uid is a text, only smaller
  Uid(const std::string& text) : Uid(std::string_view(text)) {}  // NOLINT
  Uid(const char* text) : Uid(std::string_view(text)) {}         // NOLINT

  Uid(const Uid& other);
  Uid& operator=(const Uid& other);
  Uid(Uid&&) noexcept = default;
  Uid& operator=(Uid&&) noexcept = default;
  ~Uid() = default;

  bool empty() const { return text_ == nullptr && bytes_ == Bytes{}; }
  std::string str() const;
  operator std::string() const { return str(); }  // NOLINT

  friend bool operator==(const Uid& a, const Uid& b);
  template <typename H>
  friend H AbslHashValue(H state, const Uid& uid) {
    if (uid.text_ != nullptr) return H::combine(std::move(state), *uid.text_);
    return H::combine_contiguous(std::move(state), uid.bytes_.data(), uid.bytes_.size());
  }
  friend std::strong_ordering operator<=>(const Uid& a, const Uid& b);

 private:
  using Bytes = std::array<uint8_t, 16>;

  Bytes bytes_ = {};                         // of a UUID; zero for others
  std::unique_ptr<const std::string> text_;  // of any other text
};

}  // namespace xebec::watcher
