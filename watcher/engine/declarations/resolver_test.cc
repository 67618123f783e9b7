// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/resolver.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using ::testing::HasSubstr;

const DeclaredResource kWebs{"example.com", "v1", "webs", {}, ""};

DeclaredResource Served() {
  DeclaredResource served = kWebs;
  served.type = ResourceType{"example.com", "v1", "Web", "webs", false};
  return served;
}

size_t Asked(Resolver* resolver, absl::Duration now) {
  Outputs out;
  resolver->OnTick(now, &out);
  return out.size();
}

TEST(Resolver, AsksUntilTheResourceIsServedAtGrowingIntervals) {
  Resolver resolver;
  absl::Duration now = absl::Seconds(100), pause;
  resolver.Want({kWebs, kWebs}, now);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Asked(&resolver, now), 1u);
    EXPECT_EQ(Asked(&resolver, now), 0u) << "one question at a time";
    EXPECT_EQ(resolver.On(Resolved{kWebs}, now), i == 0) << "the problem is new once";
    pause = resolver.NextDeadline() - now;
    now = resolver.NextDeadline();
  }
  EXPECT_EQ(pause, absl::Seconds(10));
  EXPECT_THAT(resolver.About(kWebs).problem, HasSubstr("does not serve webs.example.com/v1"));
  Asked(&resolver, now);
  EXPECT_TRUE(resolver.On(Resolved{Served()}, now));
  EXPECT_EQ(resolver.About(kWebs), Served());
  EXPECT_EQ(resolver.NextDeadline(), absl::InfiniteDuration()) << "that is known now";
}

TEST(Resolver, KeepsWhatItKnowsWhileItIsWanted) {
  Resolver resolver;
  resolver.Want({kWebs}, absl::ZeroDuration());
  Asked(&resolver, absl::ZeroDuration());
  resolver.On(Resolved{Served()}, absl::ZeroDuration());
  resolver.Want({kWebs, {"", "v1", "pods", {}, ""}}, absl::ZeroDuration());
  EXPECT_EQ(Asked(&resolver, absl::ZeroDuration()), 1u) << "the new one alone";
  resolver.Want({}, absl::ZeroDuration());
  EXPECT_TRUE(resolver.Served().empty());
  EXPECT_FALSE(resolver.On(Resolved{Served()}, absl::ZeroDuration())) << "it is not wanted";
}

TEST(Resolver, TellsWhyItCannotFindOut) {
  Resolver resolver;
  resolver.Want({kWebs}, absl::ZeroDuration());
  Asked(&resolver, absl::ZeroDuration());
  EXPECT_TRUE(
      resolver.On(ResolveFailed{kWebs, {403, "Forbidden", "no", {}}}, absl::ZeroDuration()));
  EXPECT_THAT(resolver.About(kWebs).problem, HasSubstr("HTTP 403 Forbidden: no"));
}

}  // namespace
}  // namespace xebec::watcher
