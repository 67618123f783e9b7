// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/io.h"

#include "absl/strings/str_cat.h"

namespace xebec::watcher {

std::string Describe(const ApiFailure& failure) {
  if (failure.http_status == 0) return failure.message;
  return absl::StrCat("HTTP ", failure.http_status, failure.reason.empty() ? "" : " ",
                      failure.reason, failure.message.empty() ? "" : ": ", failure.message);
}

}  // namespace xebec::watcher
