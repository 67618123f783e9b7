// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace xebec {

/// A Kubernetes quantity ("250m", "1.5Gi", "1e3") of any size, without loss of precision. As in
/// resource.Quantity, values finer than 1n are rounded away from zero to 1n, and values with a
/// binary suffix are capped at 2^63-1.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;

  /// Parses a quantity. Returns INVALID_ARGUMENT with the accepted form if `text` is not a
  /// quantity, or if it has surrounding blanks.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  /// Returns the value rounded away from zero to a multiple of 1m, as the API server does with
  /// requests and limits.
  Quantity RoundedToMilli() const;

  /// Returns the canonical text of the value: digits for whole numbers ("1500"), otherwise the
  /// largest of the suffixes m, u, n that gives a whole number ("1500m"). Equal values have equal
  /// texts.
  std::string ToString() const;

  bool IsZero() const { return digits_.empty(); }
  bool IsNegative() const { return negative_; }

  bool operator==(const Quantity&) const = default;
  std::strong_ordering operator<=>(const Quantity& other) const;

 private:
  Quantity(bool negative, std::string digits, int64_t exponent);
  void Normalize();
  void RoundUpTo(int64_t exponent);

  // The value is digits * 10^exponent. digits has no zero at either end; zero is the empty string.
  bool negative_ = false;
  std::string digits_;
  int64_t exponent_ = 0;
};

}  // namespace xebec
