// SPDX-License-Identifier: Apache-2.0
// Input: the live object, a zero byte, the desired one.
#include <cstdint>
#include <string_view>

#include "common/model/fields.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t split = text.find('\0');
  if (split == std::string_view::npos) return 0;
  const auto live = xebec::ParseJson(text.substr(0, split));
  const auto desired = xebec::ParseJson(text.substr(split + 1));
  if (!live.ok() || !desired.ok()) return 0;
  XEBEC_FUZZ_CHECK(xebec::Covers(*desired, *desired));
  XEBEC_FUZZ_CHECK(!live->is_object() || xebec::Covers(*live, xebec::Json::object()));
  XEBEC_FUZZ_CHECK(xebec::Covers(*live, *desired) == (xebec::FieldsDigest(*live, *desired) ==
                                                      xebec::FieldsDigest(*desired, *desired)));
  XEBEC_FUZZ_CHECK(xebec::DesiredDigest(*desired).size() == 19);
  return 0;
}
