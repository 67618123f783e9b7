// SPDX-License-Identifier: Apache-2.0
#include "common/tls/issue.h"

#include "common/tls/certificate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::tls {
namespace {

using ::testing::HasSubstr;

const absl::Time kBegin = absl::FromUnixSeconds(1'800'000'000);

Subject Named(const std::string& name) {
  Subject subject;
  subject.common_name = name;
  subject.not_before = kBegin;
  subject.not_after = kBegin + absl::Hours(24);
  return subject;
}

TEST(Issue, ACertificateSaysWhatItWasMadeFor) {
  const auto ca = IssueCa(Named("ca"));
  ASSERT_TRUE(ca.ok()) << ca.status();
  Subject subject = Named("planner");
  subject.dns_names = {"planner.xebec.svc"};
  subject.addresses = {"127.0.0.1", "::1"};
  subject.uris = {"spiffe://cluster.local/ns/xebec/sa/planner"};
  const auto pair = IssueCertificate(*ca, subject);
  ASSERT_TRUE(pair.ok()) << pair.status();
  const auto read = ReadCertificate(pair->certificate);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->uris, subject.uris);
  EXPECT_EQ(read->not_before, subject.not_before);
  EXPECT_EQ(read->not_after, subject.not_after);
  EXPECT_TRUE(CheckKey(pair->certificate, pair->key).ok());
  EXPECT_FALSE(CheckKey(pair->certificate, ca->key).ok());
}

TEST(Issue, NoTwoCertificatesShareAKey) {
  const auto ca = IssueCa(Named("ca"));
  ASSERT_TRUE(ca.ok());
  const auto one = IssueCertificate(*ca, Named("a"));
  const auto two = IssueCertificate(*ca, Named("a"));
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_NE(one->key, two->key);
  EXPECT_NE(one->certificate, two->certificate);
}

TEST(Issue, ACaThatCannotBeReadIsSaid) {
  EXPECT_EQ(IssueCertificate({"nonsense", "nonsense"}, Named("a")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Issue, WhatOpenSslRefusesIsSaidInItsOwnWords) {
  const auto long_name = IssueCa(Named(std::string(65, 'a')));
  EXPECT_THAT(long_name.status().message(), HasSubstr("string too long"));
  const auto ca = IssueCa(Named("ca"));
  ASSERT_TRUE(ca.ok());
  Subject subject = Named("a");
  subject.addresses = {"not-an-address"};
  EXPECT_THAT(IssueCertificate(*ca, subject).status().message(), HasSubstr("bad ip address"));
}

TEST(Issue, ADateThatNoCertificateCanCarryIsRefused) {
  Subject subject = Named("ca");
  subject.not_after =
      absl::FromCivil(absl::CivilSecond(9999, 12, 31, 23, 59, 59), absl::UTCTimeZone());
  EXPECT_TRUE(IssueCa(subject).ok());
  subject.not_after += absl::Seconds(1);
  const auto refused = IssueCa(subject);
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("illegal time value"));
}

TEST(Issue, AnAddressThatIsNoneIsRefused) {
  const auto ca = IssueCa(Named("ca"));
  ASSERT_TRUE(ca.ok());
  Subject subject = Named("a");
  subject.addresses = {"not-an-address"};
  EXPECT_FALSE(IssueCertificate(*ca, subject).ok());
}

}  // namespace
}  // namespace xebec::tls
