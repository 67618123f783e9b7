// SPDX-License-Identifier: Apache-2.0
#include "applier/service/random_bytes.h"

#include <sys/random.h>

#include <cerrno>

namespace xebec::applier {

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  size_t have = 0;
  while (have < count) {
    const ssize_t got = getrandom(bytes.data() + have, count - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "";
    have += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace xebec::applier
