// SPDX-License-Identifier: Apache-2.0
#include "common/http/threads.h"

#include <pthread.h>

#include <csignal>

namespace xebec::http::internal {

void PrepareThread(const char* name) {
  pthread_setname_np(pthread_self(), name);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace xebec::http::internal
