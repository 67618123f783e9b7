// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/identity.h"

#include <unistd.h>

#include <array>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xebec::watcher {

std::string FreshIdentity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  return absl::StrCat(host.data(), "_", absl::StrFormat("%08x%08x", random(), random()));
}

}  // namespace xebec::watcher
