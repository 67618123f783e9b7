// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/settings.h"

#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::HasSubstr;

Settings With(const std::string& advertise, const std::string& listen = "0.0.0.0:7442") {
  Settings settings;
  settings.advertise = advertise;
  settings.listen = listen;
  return settings;
}

TEST(WatcherSettings, AdvertiseTheAddressOfThePodAndThePortThatIsServed) {
  EXPECT_EQ(AdvertisedAddress(With("10.0.0.3")), "10.0.0.3:7442");
  EXPECT_EQ(AdvertisedAddress(With("fd00::3", "[::]:7450")), "[fd00::3]:7450");
  EXPECT_EQ(AdvertisedAddress(With("")), "");
  EXPECT_EQ(AdvertisedAddress(With("", "unix:/run/watcher.sock")), "");
}

TEST(WatcherSettings, AdvertiseOnlyWhatOtherWatchersCanDial) {
  EXPECT_TRUE(Validate(With("10.0.0.3")).ok());
  EXPECT_TRUE(Validate(With("", "unix:/run/watcher.sock")).ok());
  for (const char* advertise : {"watcher.example.com", "10.0.0.3:7442", "[fd00::3]"}) {
    EXPECT_THAT(std::string(ToStd(Validate(With(advertise)).message())),
                HasSubstr("must be an IP address without a port"))
        << advertise;
  }
  for (const char* listen : {"unix:/run/watcher.sock", "0.0.0.0:0"}) {
    EXPECT_THAT(std::string(ToStd(Validate(With("10.0.0.3", listen)).message())),
                HasSubstr("advertise needs a port in listen"))
        << listen;
  }
}

}  // namespace
}  // namespace xebec::watcher
