// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "common/model/quantity.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto quantity = xebec::Quantity::Parse(text);
  if (!quantity.ok()) return 0;
  const auto again = xebec::Quantity::Parse(quantity->ToString());
  XEBEC_FUZZ_CHECK(again.ok() && *again == *quantity);
  const xebec::Quantity rounded = quantity->RoundedToMilli();
  XEBEC_FUZZ_CHECK(rounded == rounded.RoundedToMilli());
  XEBEC_FUZZ_CHECK(quantity->IsNegative() ? rounded <= *quantity : rounded >= *quantity);
  return 0;
}
