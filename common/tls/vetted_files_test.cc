// SPDX-License-Identifier: Apache-2.0
#include "common/tls/vetted_files.h"

#include <fstream>
#include <iterator>
#include <optional>

#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "gtest/gtest.h"

namespace xebec::tls {
namespace {

using kube::testing::KeyPair;
using kube::testing::MakeCa;
using kube::testing::MakeCertificate;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

/// nullopt when the file cannot be opened.
std::optional<std::string> Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class VettedFilesTest : public ::testing::Test {
 protected:
  Files Write(const std::string& certificate, const std::string& key) {
    return {directory_.Write("tls.crt", certificate), directory_.Write("tls.key", key),
            directory_.Write("ca.crt", ca_.cert_pem)};
  }
  static std::string Together(const KeyPair& pair) { return pair.cert_pem + "\n" + pair.key_pem; }
  KeyPair Issue() { return MakeCertificate(ca_, "planner", kNow + absl::Hours(1)); }

  kube::testing::TemporaryDirectory directory_;
  KeyPair ca_ = MakeCa();
  KeyPair first_ = Issue(), second_ = Issue();
};

TEST_F(VettedFilesTest, NothingCanBeOpenedBeforeTheFilesWereGood) {
  VettedFiles vetted(Write("", ""));
  EXPECT_FALSE(vetted.Reload(kNow).ok());
  EXPECT_EQ(Content(vetted.paths().certificate), std::nullopt);
  EXPECT_EQ(Content(vetted.paths().key), std::nullopt);
  EXPECT_EQ(Content(vetted.paths().ca), std::nullopt);
  Write(first_.cert_pem, first_.key_pem);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(Content(vetted.paths().certificate), Together(first_));
  EXPECT_EQ(vetted.paths().key, vetted.paths().certificate) << "they change together";
  EXPECT_EQ(Content(vetted.paths().ca), ca_.cert_pem);
}

TEST_F(VettedFilesTest, WhatWasGoodStaysWhileTheFilesAreBad) {
  VettedFiles vetted(Write(first_.cert_pem, first_.key_pem));
  const Files paths = vetted.paths();
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  for (const std::string& key : {std::string(), std::string("half a ke"), second_.key_pem}) {
    Write(first_.cert_pem, key);
    EXPECT_FALSE(vetted.Reload(kNow).ok());
    EXPECT_EQ(Content(paths.key), Together(first_));
  }
  Write(second_.cert_pem, second_.key_pem);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(Content(paths.key), Together(second_));
}

TEST_F(VettedFilesTest, WhoHasOpenedAFileKeepsItsContent) {
  VettedFiles vetted(Write(first_.cert_pem, first_.key_pem));
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  std::ifstream open(vetted.paths().certificate, std::ios::binary);
  Write(second_.cert_pem, second_.key_pem);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(open), {}), Together(first_));
}

TEST_F(VettedFilesTest, TheEndOfACertificateIsKnownEvenWhenItHasCome) {
  VettedFiles vetted(Write("", ""));
  EXPECT_FALSE(vetted.Reload(kNow).ok());
  EXPECT_EQ(vetted.not_after(), std::nullopt);
  Write(first_.cert_pem, first_.key_pem);
  EXPECT_FALSE(vetted.Reload(kNow + absl::Hours(2)).ok());
  EXPECT_EQ(vetted.not_after(), kNow + absl::Hours(1));
}

TEST_F(VettedFilesTest, TheEndIsThatOfTheCertificateInUse) {
  VettedFiles vetted(Write(first_.cert_pem, first_.key_pem));
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  const KeyPair later = MakeCertificate(ca_, "planner", kNow + absl::Hours(9));
  Write(later.cert_pem, first_.key_pem);
  EXPECT_FALSE(vetted.Reload(kNow).ok());
  EXPECT_EQ(vetted.not_after(), kNow + absl::Hours(1)) << "the new one is not used yet";
  Write(later.cert_pem, later.key_pem);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(vetted.not_after(), kNow + absl::Hours(9));
}

TEST_F(VettedFilesTest, TheExpiryOfTheCaIsThatOfTheOneThatSigned) {
  ca_ = MakeCa(kNow + absl::Hours(5));
  const KeyPair signed_by_it = Issue(), next = MakeCa(kNow + absl::Hours(9));
  const std::string first_ca = ca_.cert_pem;
  ca_.cert_pem = next.cert_pem + first_ca;
  VettedFiles vetted(Write(signed_by_it.cert_pem, signed_by_it.key_pem));
  EXPECT_EQ(vetted.ca_not_after(), std::nullopt);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(vetted.ca_not_after(), kNow + absl::Hours(5));
  ca_.cert_pem = next.cert_pem;
  Write(signed_by_it.cert_pem, signed_by_it.key_pem);
  ASSERT_TRUE(vetted.Reload(kNow).ok());
  EXPECT_EQ(vetted.ca_not_after(), kNow + absl::Hours(9)) << "none signed: the latest one";
}

}  // namespace
}  // namespace xebec::tls
