// SPDX-License-Identifier: Apache-2.0
#include "common/model/quantity.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec {
namespace {

constexpr int64_t kNano = -9;
constexpr int64_t kMilli = -3;
// Larger exponents do not occur and would result in very long texts.
constexpr int64_t kMaxExponent = 1000;
constexpr std::string_view kMaxBinary = "9223372036854775807";

/// A suffix multiplies the number by 1024^binary and by 10^decimal.
struct Scale {
  int binary = 0;
  int64_t decimal = 0;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Parses "3", "+3" or "-3".
std::optional<Scale> ScaleOfExponent(std::string_view text) {
  const bool sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  if (!std::ranges::all_of(text.substr(sign ? 1 : 0), IsDigit)) return std::nullopt;
  int64_t exponent = 0;
  if (!absl::SimpleAtoi(ToAbsl(text), &exponent)) return std::nullopt;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  return Scale{0, exponent};
}

std::optional<Scale> ScaleOf(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, int64_t>, 10> kDecimal = {{{"n", -9},
                                                                                     {"u", -6},
                                                                                     {"m", -3},
                                                                                     {"", 0},
                                                                                     {"k", 3},
                                                                                     {"M", 6},
                                                                                     {"G", 9},
                                                                                     {"T", 12},
                                                                                     {"P", 15},
                                                                                     {"E", 18}}};
  static constexpr std::array<std::string_view, 6> kBinary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  for (const auto& [name, exponent] : kDecimal) {
    if (suffix == name) return Scale{0, exponent};
  }
  for (size_t i = 0; i < kBinary.size(); ++i) {
    if (suffix == kBinary[i]) return Scale{static_cast<int>(i) + 1, 0};
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  return ScaleOfExponent(suffix.substr(1));
}

/// Multiplies a decimal number in digits.
void Multiply(std::string& digits, int factor) {
  int carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += (*digit - '0') * factor;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) digits.insert(0, std::to_string(carry));
}

/// Adds one to a decimal number in digits.
void Increment(std::string& digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '9') {
      ++*digit;
      return;
    }
    *digit = '0';
  }
  digits.insert(0, "1");
}

absl::Status Malformed(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", Ellipsize(text, 60), "\" is not a quantity: a number with an optional suffix ",
      "(n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or e3) is needed, such as 250m, 1.5 or 10Gi"));
}

/// Removes the digits at the beginning of `rest` and returns them.
std::string_view TakeDigits(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, IsDigit);
  const std::string_view digits = rest.substr(0, end - rest.begin());
  rest.remove_prefix(digits.size());
  return digits;
}

/// Compares |a| with |b|, which are both normalized.
std::strong_ordering CompareMagnitude(const std::string& a, int64_t a_exponent,
                                      const std::string& b, int64_t b_exponent) {
  if (a.empty() || b.empty()) return a.size() <=> b.size();
  const int64_t a_top = static_cast<int64_t>(a.size()) + a_exponent;
  const int64_t b_top = static_cast<int64_t>(b.size()) + b_exponent;
  return a_top != b_top ? a_top <=> b_top : a.compare(b) <=> 0;
}

}  // namespace

Quantity::Quantity(bool negative, std::string digits, int64_t exponent)
    : negative_(negative), digits_(std::move(digits)), exponent_(exponent) {
  Normalize();
}

void Quantity::Normalize() {
  digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
  while (!digits_.empty() && digits_.back() == '0') {
    digits_.pop_back();
    ++exponent_;
  }
  if (!digits_.empty()) return;
  negative_ = false;
  exponent_ = 0;
}

void Quantity::RoundUpTo(int64_t exponent) {
  if (digits_.empty() || exponent_ >= exponent) return;
  const auto dropped = static_cast<size_t>(exponent - exponent_);
  digits_.resize(digits_.size() > dropped ? digits_.size() - dropped : 0);
  Increment(digits_);  // The dropped digits are not zero, because normalized digits do not end with
                       // a zero.
  exponent_ = exponent;
  Normalize();
}

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  std::string digits(TakeDigits(rest));
  size_t fraction = 0;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    const std::string_view decimals = TakeDigits(rest);
    digits.append(decimals);
    fraction = decimals.size();
  }
  const std::optional<Scale> scale = ScaleOf(rest);
  if (digits.empty() || !scale.has_value()) return Malformed(text);
  for (int i = 0; i < scale->binary; ++i) Multiply(digits, 1024);
  Quantity quantity(negative, std::move(digits), scale->decimal - static_cast<int64_t>(fraction));
  quantity.RoundUpTo(kNano);
  const bool capped = scale->binary > 0 && CompareMagnitude(quantity.digits_, quantity.exponent_,
                                                            std::string(kMaxBinary), 0) > 0;
  return capped ? Quantity(negative, std::string(kMaxBinary), 0) : quantity;
}

Quantity Quantity::RoundedToMilli() const {
  Quantity rounded = *this;
  rounded.RoundUpTo(kMilli);
  return rounded;
}

std::string Quantity::ToString() const {
  if (digits_.empty()) return "0";
  int64_t unit = 0;
  while (unit > exponent_) unit -= 3;
  const char* suffix = unit == 0 ? "" : unit == -3 ? "m" : unit == -6 ? "u" : "n";
  return absl::StrCat(negative_ ? "-" : "", digits_,
                      std::string(static_cast<size_t>(exponent_ - unit), '0'), suffix);
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (negative_ != other.negative_) {
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const auto magnitude = CompareMagnitude(digits_, exponent_, other.digits_, other.exponent_);
  return negative_ ? 0 <=> magnitude : magnitude;
}

}  // namespace xebec
