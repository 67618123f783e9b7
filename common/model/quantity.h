// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace xebec {

/// A Kubernetes quantity ("250m", "1.5Gi", "1e3"), exact at any size. As in resource.Quantity,
/// values finer than 1n are rounded away from zero to 1n, and values with a binary suffix are
/// capped at 2^63-1.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;

  /// INVALID_ARGUMENT says what a quantity looks like. No blanks around it.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  /// Rounded away from zero to a multiple of 1m, as the API server does with requests and limits.
  Quantity RoundedToMilli() const;

  /// The same value always gives the same text: whole numbers in digits ("1500"), else in the
  /// largest of m, u, n that makes it whole ("1500m"). Parses back to the same value.
  std::string ToString() const;

  bool IsZero() const { return digits_.empty(); }
  bool IsNegative() const { return negative_; }

  bool operator==(const Quantity&) const = default;
  std::strong_ordering operator<=>(const Quantity& other) const;

 private:
  Quantity(bool negative, std::string digits, int64_t exponent);
  void Normalize();
  void RoundUpTo(int64_t exponent);

  // The value is digits * 10^exponent; no zero at either end of digits, zero is the empty string.
  bool negative_ = false;
  std::string digits_;
  int64_t exponent_ = 0;
};

}  // namespace xebec
