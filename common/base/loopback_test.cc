// SPDX-License-Identifier: Apache-2.0
#include "common/base/loopback.h"

#include <gtest/gtest.h>

namespace xebec {
namespace {

TEST(IsLoopback, IsTrueOfThisMachineAlone) {
  for (const char* server :
       {"https://127.0.0.1:6443", "http://127.255.0.9", "http://localhost:8001/prefix",
        "https://localhost", "https://[::1]:6443", "http://[::1]"}) {
    EXPECT_TRUE(IsLoopback(server)) << server;
  }
}

TEST(IsLoopback, IsFalseOfNamesAndAddressesThatOnlyLookLikeIt) {
  for (const char* server :
       {"http://127.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com",
        "http://localhostess", "http://127.0.0.1@example.com", "http://127.0.0.1:x@example.com",
        "http://128.0.0.1", "http://127.0.0.256", "http://127.1", "http://[::1].example.com",
        "http://[::10]", "https://10.0.0.1/127.0.0.1", "http://", ""}) {
    EXPECT_FALSE(IsLoopback(server)) << server;
  }
}

}  // namespace
}  // namespace xebec
