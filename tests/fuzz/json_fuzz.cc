// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "common/base/json.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = xebec::ParseJson(text);
  XEBEC_FUZZ_CHECK(json.ok() || !json.status().message().empty());
  const bool object = xebec::CheckJsonObject(text).ok();
  if (!json.ok()) return 0;
  XEBEC_FUZZ_CHECK(object == json->is_object());
  const auto again = xebec::ParseJson(xebec::DumpJson(*json), {.max_bytes = size * 8 + 64});
  XEBEC_FUZZ_CHECK(again.ok() && *again == *json);
  return 0;
}
