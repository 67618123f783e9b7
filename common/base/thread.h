// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <string>

namespace xebec {

/// Names the calling thread for debuggers and `top -H`. Only the first 15 characters are used.
inline void NameThisThread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace xebec
