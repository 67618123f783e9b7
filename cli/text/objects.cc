// SPDX-License-Identifier: Apache-2.0
#include "cli/text/objects.h"

#include <utility>

#include "absl/status/statusor.h"

namespace xebec::cli {

Json Parsed(const ObjectBytes& object) {
  absl::StatusOr<Json> json = object ? ParseJson(*object) : absl::StatusOr<Json>(Json());
  return json.ok() ? *std::move(json) : Json();
}

}  // namespace xebec::cli
