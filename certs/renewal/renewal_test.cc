// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal/renewal.h"

#include "certs/renewal/decision.h"
#include "common/tls/certificate.h"
#include "common/tls/issue.h"
#include "gtest/gtest.h"

namespace xebec::certs {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
constexpr char kCa[] = "xebec-ca";
constexpr char kPlanner[] = "xebec-planner-tls";

/// A release whose Secrets are checked periodically.
class RenewalTest : public ::testing::Test {
 protected:
  RenewalTest() {
    options_.ns = "iris-system";
    options_.fullname = "xebec";
  }

  /// Renews after `later`; true when something was written.
  bool Pass(absl::Duration later = absl::ZeroDuration()) {
    now_ += later;
    absl::StatusOr<Secrets> renewed = Renew(secrets_, options_, now_);
    EXPECT_TRUE(renewed.ok()) << renewed.status();
    if (!renewed.ok() || *renewed == secrets_) return false;
    secrets_ = *std::move(renewed);
    return true;
  }
  std::string Value(const std::string& secret, const std::string& key) {
    return secrets_[secret][key];
  }
  bool Trusts(const std::string& secret, const std::string& certificate) {
    for (const std::string& each : tls::SplitBundle(Value(secret, "ca.crt"))) {
      if (tls::IsSignedBy(certificate, each)) return true;
    }
    return false;
  }
  /// Whoever has the Secrets of one moment can speak to whoever has those of the other.
  void ExpectUnderstanding(const Secrets& one, const Secrets& other) {
    for (const auto& [name, data] : one) {
      if (name == kCa) continue;
      for (const auto& [peer, peer_data] : other) {
        secrets_["mine"] = data;
        secrets_["theirs"] = peer_data;
        if (peer == kCa) continue;
        EXPECT_TRUE(Trusts("mine", peer_data.at("tls.crt"))) << name << " and " << peer;
        EXPECT_TRUE(Trusts("theirs", data.at("tls.crt"))) << peer << " and " << name;
      }
    }
    secrets_.erase("mine");
    secrets_.erase("theirs");
  }

  Options options_;
  absl::Time now_ = kStart;
  Secrets secrets_;
};

TEST_F(RenewalTest, FromNothingEverybodyGetsAnIdentity) {
  EXPECT_TRUE(Pass());
  EXPECT_EQ(secrets_.size(), 5u);
  for (const Identity& identity : IdentitiesOf(options_)) {
    const auto read = tls::ReadCertificate(Value(identity.secret, "tls.crt"));
    ASSERT_TRUE(read.ok()) << identity.secret;
    EXPECT_EQ(read->uris, std::vector<std::string>{identity.uri});
    EXPECT_EQ(read->dns_names, identity.dns_names);
    EXPECT_TRUE(
        tls::CheckKey(Value(identity.secret, "tls.crt"), Value(identity.secret, "tls.key")).ok());
    EXPECT_TRUE(Trusts(identity.secret, Value(kPlanner, "tls.crt")));
    EXPECT_FALSE(secrets_[identity.secret].contains("next.key"));
  }
}

TEST_F(RenewalTest, TheGatewayGetsAnIdentityWhenItIsEnabled) {
  EXPECT_TRUE(Pass());
  EXPECT_FALSE(secrets_.contains("xebec-hooks-tls"));
  const std::string planner = Value(kPlanner, "tls.crt");
  options_.hooks = true;
  EXPECT_TRUE(Pass());
  const auto read = tls::ReadCertificate(Value("xebec-hooks-tls", "tls.crt"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->uris[0], "spiffe://cluster.local/ns/iris-system/sa/xebec-hooks");
  EXPECT_TRUE(Trusts(kPlanner, Value("xebec-hooks-tls", "tls.crt")));
  EXPECT_EQ(Value(kPlanner, "tls.crt"), planner);
}

TEST_F(RenewalTest, NamesAreThoseOfTheHeadlessServiceAndTheServiceAccount) {
  const Identity planner = IdentitiesOf(options_)[1];
  EXPECT_EQ(planner.uri, "spiffe://cluster.local/ns/iris-system/sa/xebec-planner");
  EXPECT_EQ(planner.dns_names[1], "xebec-planner.iris-system.svc");
}

TEST_F(RenewalTest, TheLongestNameOfAReleaseFitsIntoACertificate) {
  options_.fullname = std::string(46, 'a');  // what the chart allows
  EXPECT_TRUE(Pass());
  EXPECT_FALSE(Pass());
  Pass(absl::Hours(244 * 24));
  EXPECT_FALSE(Value(CaSecret(options_), "next.crt").empty());
}

TEST_F(RenewalTest, WhatIsGoodIsLeftAlone) {
  Pass();
  EXPECT_FALSE(Pass(absl::Hours(24)));
  EXPECT_FALSE(Pass(absl::Hours(18 * 24)));
}

TEST_F(RenewalTest, ACertificateIsRenewedAtTwoThirdsOfItsLife) {
  Pass();
  const std::string before = Value(kPlanner, "tls.crt");
  EXPECT_TRUE(Pass(absl::Hours(20 * 24)));
  EXPECT_NE(Value(kPlanner, "tls.crt"), before);
  EXPECT_TRUE(Trusts(kPlanner, before));
}

TEST_F(RenewalTest, WhatWasDamagedOrRemovedIsMadeAgain) {
  Pass();
  for (const char* key : {"tls.crt", "tls.key", "ca.crt"}) {
    secrets_[kPlanner][key] = "damaged";
    EXPECT_TRUE(Pass()) << key;
    EXPECT_FALSE(Pass()) << key;
  }
  secrets_.erase(kPlanner);
  EXPECT_TRUE(Pass());
  secrets_[kPlanner]["tls.key"] = Value("xebec-applier-tls", "tls.key");
  EXPECT_TRUE(Pass());
}

TEST_F(RenewalTest, ReissuesForOtherNames) {
  Pass();
  options_.cluster_domain = "example.test";
  EXPECT_TRUE(Pass());
  EXPECT_EQ(tls::ReadCertificate(Value(kPlanner, "tls.crt"))->dns_names[2],
            "xebec-planner.iris-system.svc.example.test");
}

TEST_F(RenewalTest, ANewCaIsTrustedBeforeItSigns) {
  Pass();
  const std::string first = Value(kCa, "tls.crt");
  Pass(absl::Hours(244 * 24));
  EXPECT_EQ(Value(kCa, "tls.crt"), first) << "the old one signs still";
  ASSERT_FALSE(Value(kCa, "next.crt").empty());
  EXPECT_TRUE(Trusts(kPlanner, Value(kCa, "next.crt"))) << "the new one is known";
  EXPECT_FALSE(Pass(options_.overlap / 2)) << "not before everybody has learnt of it";
  EXPECT_TRUE(Pass(options_.overlap));
  EXPECT_NE(Value(kCa, "tls.crt"), first);
  EXPECT_TRUE(tls::IsSignedBy(Value(kPlanner, "tls.crt"), Value(kCa, "tls.crt")));
}

TEST_F(RenewalTest, ANewCaDoesNotSignBeforeEverySecretHasCarriedItForLongEnough) {
  Pass();
  const Secrets before = secrets_;
  const std::string first = Value(kCa, "tls.crt");
  Pass(absl::Hours(244 * 24));
  const std::string next = Value(kCa, "next.crt");
  secrets_[kPlanner] = before.at(kPlanner);  // that run has failed on this one
  EXPECT_TRUE(Pass(2 * options_.overlap));
  EXPECT_EQ(Value(kCa, "tls.crt"), first);
  EXPECT_EQ(Value(kCa, "next.crt"), next) << "no further one";
  EXPECT_TRUE(Trusts(kPlanner, next));
  EXPECT_FALSE(Pass(options_.overlap / 2)) << "the time counts from now";
  EXPECT_TRUE(Pass(options_.overlap));
  EXPECT_EQ(Value(kCa, "tls.crt"), next);
  EXPECT_FALSE(secrets_[kCa].contains("next.since"));
}

TEST_F(RenewalTest, RewritesAnImpossibleAnnouncementTime) {
  Pass();
  Pass(absl::Hours(244 * 24));
  const std::string next = Value(kCa, "next.crt");
  for (const char* since : {"", "soon", "9999-01-01T00:00:00Z"}) {
    secrets_[kCa]["next.since"] = since;
    EXPECT_TRUE(Pass(2 * options_.overlap)) << since;
    EXPECT_EQ(Value(kCa, "next.crt"), next) << since;
  }
  EXPECT_TRUE(Pass(options_.overlap));
  EXPECT_EQ(Value(kCa, "tls.crt"), next);
}

TEST_F(RenewalTest, OldAndNewFilesUnderstandEachOtherAtEveryStepForThreeYears) {
  Pass();
  Secrets before = secrets_;
  int renewals = 0;
  std::string active = Value(kCa, "tls.crt");
  for (int day = 0; day < 3 * 365; day += 3) {
    if (!Pass(absl::Hours(3 * 24))) continue;
    ExpectUnderstanding(before, secrets_);
    if (Value(kCa, "tls.crt") != active) ++renewals;
    active = Value(kCa, "tls.crt");
    before = secrets_;
    if (HasFailure()) return;
  }
  EXPECT_GE(renewals, 3);
  EXPECT_LE(tls::SplitBundle(Value(kPlanner, "ca.crt")).size(), 3u) << "expired ones are forgotten";
}

TEST_F(RenewalTest, ACaThatHasExpiredIsReplacedAtOnce) {
  Pass();
  EXPECT_TRUE(Pass(absl::Hours(400 * 24)));
  EXPECT_TRUE(tls::IsSignedBy(Value(kPlanner, "tls.crt"), Value(kCa, "tls.crt")));
  EXPECT_EQ(tls::SplitBundle(Value(kPlanner, "ca.crt")).size(), 1u);
  EXPECT_FALSE(Pass());
}

TEST_F(RenewalTest, WhenACaHasExpiredTheNextOneSignsWhoeverKnowsIt) {
  Pass();
  Pass(absl::Hours(244 * 24));
  const std::string next = Value(kCa, "next.crt");
  secrets_.erase(kPlanner);
  EXPECT_TRUE(Pass(absl::Hours(122 * 24)));
  EXPECT_EQ(Value(kCa, "tls.crt"), next);
  EXPECT_FALSE(Pass());
}

TEST_F(RenewalTest, ACertificateNeverOutlivesItsCa) {
  options_.ca_duration = absl::Hours(24);
  Pass();
  const auto certificate = tls::ReadCertificate(Value(kPlanner, "tls.crt"));
  const auto ca = tls::ReadCertificate(Value(kCa, "tls.crt"));
  EXPECT_LE(certificate->not_after, ca->not_after);
}

}  // namespace
}  // namespace xebec::certs
