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

TEST(Issue, ALeafSaysWhatItWasMadeFor) {
  const auto authority = IssueAuthority(Named("ca"));
  ASSERT_TRUE(authority.ok()) << authority.status();
  Subject subject = Named("planner");
  subject.dns_names = {"planner.xebec.svc"};
  subject.addresses = {"127.0.0.1", "::1"};
  subject.uris = {"spiffe://cluster.local/ns/xebec/sa/planner"};
  const auto leaf = IssueLeaf(*authority, subject);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  const auto read = ReadCertificate(leaf->certificate);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->uris, subject.uris);
  EXPECT_EQ(read->not_before, subject.not_before);
  EXPECT_EQ(read->not_after, subject.not_after);
  EXPECT_TRUE(CheckKey(leaf->certificate, leaf->key).ok());
  EXPECT_FALSE(CheckKey(leaf->certificate, authority->key).ok());
}

TEST(Issue, NoTwoCertificatesShareAKey) {
  const auto authority = IssueAuthority(Named("ca"));
  ASSERT_TRUE(authority.ok());
  const auto one = IssueLeaf(*authority, Named("a"));
  const auto two = IssueLeaf(*authority, Named("a"));
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_NE(one->key, two->key);
  EXPECT_NE(one->certificate, two->certificate);
}

TEST(Issue, AnAuthorityThatCannotBeReadIsSaid) {
  EXPECT_EQ(IssueLeaf({"nonsense", "nonsense"}, Named("a")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Issue, WhatOpenSslRefusesIsSaidInItsOwnWords) {
  const auto long_name = IssueAuthority(Named(std::string(65, 'a')));
  EXPECT_THAT(long_name.status().message(), HasSubstr("string too long"));
  const auto authority = IssueAuthority(Named("ca"));
  ASSERT_TRUE(authority.ok());
  Subject subject = Named("a");
  subject.addresses = {"not-an-address"};
  EXPECT_THAT(IssueLeaf(*authority, subject).status().message(), HasSubstr("bad ip address"));
}

TEST(Issue, ADateThatNoCertificateCanCarryIsRefused) {
  Subject subject = Named("ca");
  subject.not_after =
      absl::FromCivil(absl::CivilSecond(9999, 12, 31, 23, 59, 59), absl::UTCTimeZone());
  EXPECT_TRUE(IssueAuthority(subject).ok());
  subject.not_after += absl::Seconds(1);
  const auto refused = IssueAuthority(subject);
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("illegal time value"));
}

TEST(Issue, AnAddressThatIsNoneIsRefused) {
  const auto authority = IssueAuthority(Named("ca"));
  ASSERT_TRUE(authority.ok());
  Subject subject = Named("a");
  subject.addresses = {"not-an-address"};
  EXPECT_FALSE(IssueLeaf(*authority, subject).ok());
}

}  // namespace
}  // namespace xebec::tls
