// SPDX-License-Identifier: Apache-2.0
#include "common/model/hook_path.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace xebec {
namespace {

bool IsPathCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("/-._~%").find(c) != std::string_view::npos;
}

}  // namespace

bool IsHookPath(std::string_view path) {
  return std::all_of(path.begin(), path.end(), IsPathCharacter) &&
         path.find("..") == std::string_view::npos;
}

}  // namespace xebec
