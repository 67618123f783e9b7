// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/discovery/address.h"

#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Address, EveryFormOfATargetIsRead) {
  const auto targets = ParseTargets(
      "127.0.0.1:7443, dns:///planner.xebec:7443,[::1]:80,unix:/run/x.sock,"
      "unix:///run/y.sock,localhost:0");
  ASSERT_TRUE(targets.ok()) << targets.status();
  EXPECT_THAT(*targets,
              ElementsAre(Target{"127.0.0.1", "7443", ""}, Target{"planner.xebec", "7443", ""},
                          Target{"::1", "80", ""}, Target{"", "", "/run/x.sock"},
                          Target{"", "", "/run/y.sock"}, Target{"localhost", "0", ""}));
}

TEST(Address, WhatCannotBeReadIsNamedWithTheReasonAndTheExpectedForm) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no port"},
      {"host", "no port"},
      {"host:", "no port"},
      {":80", "no host"},
      {"host:http", "\"http\""},
      {"host:65536", "\"65536\""},
      {"host:-1", "\"-1\""},
      {"::1:80", "brackets"},
      {"[::1:80", "\"]\" is missing"},
      {"unix:x", "absolute"},
      {"a:1,,b:2", "no port"},
      {"unix:", "absolute"},
      {"unix:/" + std::string(200, 'x'), "too long"}};
  for (const auto& [text, why] : cases) {
    const auto targets = ParseTargets(text);
    ASSERT_FALSE(targets.ok()) << text;
    EXPECT_THAT(std::string(ToStd(targets.status().message())),
                AllOf(HasSubstr(why), HasSubstr("expected host:port")));
  }
}

TEST(Address, ALiteralAddressResolvesToItself) {
  const auto addresses = SystemResolve({"127.0.0.1", "7443", ""});
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_THAT(*addresses, ElementsAre(Address{"ipv4:127.0.0.1:7443", "127.0.0.1"}));
  EXPECT_THAT(*SystemResolve({"::1", "1", ""}), ElementsAre(Address{"ipv6:[::1]:1", "::1"}));
  EXPECT_THAT(*SystemResolve({"", "", "/run/x"}), ElementsAre(Address{"unix:/run/x", ""}));
}

TEST(Address, AnUnknownHostIsNamed) {
  const auto addresses = SystemResolve({"does-not-exist.invalid", "1", ""});
  ASSERT_FALSE(addresses.ok());
  EXPECT_EQ(addresses.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(ToStd(addresses.status().message())),
              HasSubstr("does-not-exist.invalid"));
}

TEST(Address, OnlyLoopbackAndUnixSocketsAreLocal) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/x"}) {
    EXPECT_TRUE(IsLocal(ParseTargets(text)->front())) << text;
  }
  for (const char* text : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1", "example.com:1", "128.0.0.1:1"}) {
    EXPECT_FALSE(IsLocal(ParseTargets(text)->front())) << text;
  }
}

}  // namespace
}  // namespace xebec::rpc
