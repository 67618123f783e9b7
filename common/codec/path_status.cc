// SPDX-License-Identifier: Apache-2.0
#include "common/codec/path_status.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::codec {

absl::Status FieldError(std::string_view field, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(field), ": ", ToAbsl(what)));
}

absl::Status Within(std::string_view field, const absl::Status& status) {
  if (status.ok()) return status;
  const absl::string_view rest = status.message();
  const bool joined = absl::StartsWith(rest, ": ") || absl::StartsWith(rest, "[");
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(field), joined ? "" : ".", rest));
}

absl::Status Within(std::string_view field, int index, const absl::Status& status) {
  if (status.ok()) return status;
  return Within(absl::StrCat(ToAbsl(field), "[", index, "]"), status);
}

}  // namespace xebec::codec
