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

ResourceType PartsType() { return {"example.com", "v1", "Part", "parts", false}; }

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
  EXPECT_FALSE(resolver.About(kWebs).type.has_value());
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

/// A resource that was served when it was asked for.
class ResolverDoubtTest : public ::testing::Test {
 protected:
  ResolverDoubtTest() {
    resolver_.Want({kWebs}, now_);
    Asked(&resolver_, now_);
    resolver_.On(Resolved{Served()}, now_);
  }

  absl::Duration now_ = absl::Seconds(100);
  Resolver resolver_;
};

TEST_F(ResolverDoubtTest, AsksAgainUntilTheResourceIsServedAgain) {
  resolver_.Doubt(PartsType(), now_);
  EXPECT_EQ(Asked(&resolver_, now_), 0u) << "that is another resource";
  resolver_.Doubt(*Served().type, now_);
  EXPECT_EQ(Asked(&resolver_, now_), 1u);
  resolver_.Doubt(*Served().type, now_);
  EXPECT_EQ(Asked(&resolver_, now_), 0u) << "one question at a time";
  EXPECT_TRUE(resolver_.Serves(kWebs)) << "nobody has said otherwise";
  EXPECT_TRUE(resolver_.On(Resolved{kWebs}, now_));
  EXPECT_FALSE(resolver_.Serves(kWebs));
  EXPECT_FALSE(resolver_.MayBeServed(kWebs));
  EXPECT_EQ(resolver_.About(kWebs).type, Served().type) << "as it was served last";
  EXPECT_FALSE(resolver_.On(Resolved{kWebs}, now_)) << "that is known";
  EXPECT_EQ(Asked(&resolver_, resolver_.NextDeadline()), 1u);
  EXPECT_TRUE(resolver_.On(Resolved{Served()}, now_));
  EXPECT_TRUE(resolver_.Serves(kWebs));
  EXPECT_EQ(resolver_.NextDeadline(), absl::InfiniteDuration());
}

TEST_F(ResolverDoubtTest, AnotherScopeIsNews) {
  resolver_.Doubt(*Served().type, now_);
  Asked(&resolver_, now_);
  EXPECT_FALSE(resolver_.On(Resolved{Served()}, now_)) << "nothing has changed";
  resolver_.Doubt(*Served().type, now_);
  DeclaredResource other = Served();
  other.type->cluster_scoped = true;
  EXPECT_TRUE(resolver_.On(Resolved{other}, now_));
  EXPECT_EQ(resolver_.About(kWebs), other);
}

TEST_F(ResolverDoubtTest, AFailureChangesNothingThatIsKnown) {
  const ResolveFailed failed{kWebs, {503, "ServiceUnavailable", "", {}}};
  resolver_.Doubt(*Served().type, now_);
  EXPECT_FALSE(resolver_.On(failed, now_));
  EXPECT_EQ(resolver_.About(kWebs), Served());
  EXPECT_TRUE(resolver_.Serves(kWebs));
  resolver_.On(Resolved{kWebs}, now_);
  resolver_.On(failed, now_);
  EXPECT_FALSE(resolver_.Serves(kWebs));
  EXPECT_TRUE(resolver_.MayBeServed(kWebs)) << "the API server may serve it again";
  EXPECT_LT(resolver_.NextDeadline(), absl::InfiniteDuration());
}

}  // namespace
}  // namespace xebec::watcher
