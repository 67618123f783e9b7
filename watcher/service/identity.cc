// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/identity.h"

#include <unistd.h>

#include <array>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xebec::watcher {

Identity FreshIdentity(const std::string& instance) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  const std::string suffix = absl::StrFormat("%08x%08x", random(), random());
  if (instance.empty()) return {absl::StrCat(host.data(), "_", suffix), ""};
  const std::string prefix = absl::StrCat(host.data(), "_", instance, "_");
  return {absl::StrCat(prefix, suffix), prefix};
}

}  // namespace xebec::watcher
