// SPDX-License-Identifier: Apache-2.0
#include "common/tls/files.h"

#include "common/base/strings.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::tls {
namespace {

using kube::testing::MakeCa;
using kube::testing::MakeCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

class FilesTest : public ::testing::Test {
 protected:
  Files Write(const std::string& certificate, const std::string& key, const std::string& ca) {
    return {directory_.Write("tls.crt", certificate), directory_.Write("tls.key", key),
            directory_.Write("ca.crt", ca)};
  }
  std::string WhyNot(const Files& files) {
    return std::string(ToStd(Check(files, kNow).status().message()));
  }

  kube::testing::TemporaryDirectory directory_;
  kube::testing::KeyPair ca_ = MakeCa();
  kube::testing::KeyPair pair_ =
      MakeCertificate(ca_, "planner", kNow + absl::Hours(1), "spiffe://x/planner");
};

TEST_F(FilesTest, GoodOnesSayWhoseTheyAreAndHowLong) {
  const auto certificate = Check(Write(pair_.cert_pem, pair_.key_pem, ca_.cert_pem), kNow);
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  EXPECT_EQ(certificate->uris, std::vector<std::string>{"spiffe://x/planner"});
  EXPECT_EQ(certificate->not_after, kNow + absl::Hours(1));
}

TEST_F(FilesTest, WhatIsMissingIsNamed) {
  Files files = Write(pair_.cert_pem, pair_.key_pem, ca_.cert_pem);
  files.key = directory_.Path("nothing.key");
  EXPECT_THAT(WhyNot(files), AllOf(HasSubstr("key"), HasSubstr("nothing.key")));
  files.key = "";
  EXPECT_THAT(WhyNot(files), HasSubstr("the key is missing"));
}

TEST_F(FilesTest, WhatDoesNotFitTogetherIsNamed) {
  const auto other = MakeCertificate(ca_, "other");
  EXPECT_THAT(WhyNot(Write(pair_.cert_pem, other.key_pem, ca_.cert_pem)),
              AllOf(HasSubstr("tls.key"), HasSubstr("does not belong")));
  EXPECT_THAT(WhyNot(Write("half a fi", pair_.key_pem, ca_.cert_pem)),
              AllOf(HasSubstr("tls.crt"), HasSubstr("not a PEM certificate")));
  EXPECT_THAT(WhyNot(Write(pair_.cert_pem, pair_.key_pem, "")),
              AllOf(HasSubstr("ca.crt"), HasSubstr("not a PEM certificate")));
}

TEST_F(FilesTest, AnExpiredCertificateIsNamedWithItsDate) {
  const auto old = MakeCertificate(ca_, "planner", kNow - absl::Seconds(1));
  EXPECT_THAT(WhyNot(Write(old.cert_pem, old.key_pem, ca_.cert_pem)),
              AllOf(HasSubstr("tls.crt"), HasSubstr("expired on 2027-01-15T07:59:59Z")));
}

TEST_F(FilesTest, AnExpiredCaIsNamedWithItsDate) {
  const kube::testing::KeyPair old = MakeCa(kNow - absl::Seconds(1));
  EXPECT_THAT(WhyNot(Write(pair_.cert_pem, pair_.key_pem, old.cert_pem)),
              AllOf(HasSubstr("ca.crt"), HasSubstr("expired on 2027-01-15T07:59:59Z")));
  EXPECT_EQ(WhyNot(Write(pair_.cert_pem, pair_.key_pem, old.cert_pem + ca_.cert_pem)), "")
      << "one of the bundle is valid";
}

TEST_F(FilesTest, ACertificateThatIsNotValidYetIsNamedWithItsDateAndTheClock) {
  const absl::StatusOr<Certificate> certificate = ReadCertificate(pair_.cert_pem);
  ASSERT_TRUE(certificate.ok());
  const Files files = Write(pair_.cert_pem, pair_.key_pem, ca_.cert_pem);
  const absl::Time almost = certificate->not_before - absl::Minutes(5);
  EXPECT_TRUE(Check(files, almost).ok()) << "clocks differ a little";
  EXPECT_THAT(
      std::string(ToStd(Check(files, almost - absl::Seconds(1)).status().message())),
      AllOf(HasSubstr("tls.crt is not valid before"), HasSubstr("check this machine's clock")));
}

}  // namespace
}  // namespace xebec::tls
