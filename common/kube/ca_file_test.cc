// SPDX-License-Identifier: Apache-2.0
#include "common/kube/ca_file.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/kube/in_cluster.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"

namespace xebec::kube::internal {
namespace {

using testing::MakeCa;
using testing::TemporaryDirectory;

TEST(CaFile, IsReadAgainAtEveryGet) {
  TemporaryDirectory dir;
  const std::string before = MakeCa().cert_pem, after = MakeCa().cert_pem;
  dir.Write("ca.crt", before);
  CaFileSource source(nullptr, dir.Path("ca.crt"), before);
  EXPECT_EQ(source.Get()->ca_pem, before);
  dir.Write("ca.crt", before + after);
  EXPECT_EQ(source.Get()->ca_pem, before + after);
}

TEST(CaFile, StaysInUseWhileTheFileIsUnreadableOrMalformed) {
  TemporaryDirectory dir;
  const std::string ca = MakeCa().cert_pem;
  CaFileSource source(nullptr, dir.Path("ca.crt"), ca);
  EXPECT_EQ(source.Get()->ca_pem, ca) << "there is no file";
  dir.Write("ca.crt", "junk");
  EXPECT_EQ(source.Get()->ca_pem, ca);
}

TEST(CaFile, OfTheServiceAccountIsReadAgain) {
  TemporaryDirectory dir;
  const std::string before = MakeCa().cert_pem, after = MakeCa().cert_pem;
  dir.Write("ca.crt", before);
  dir.Write("token", "abc\n");
  const auto access = InClusterFrom(dir.Path(""), "10.96.0.1", "443", &ReadClock);
  ASSERT_TRUE(access.ok()) << access.status();
  dir.Write("ca.crt", after);
  const auto credentials = access->credentials->Get();
  EXPECT_EQ(credentials->ca_pem, after);
  EXPECT_EQ(credentials->bearer_token, "abc");
}

TEST(CaFile, OfAKubeconfigIsReadAgain) {
  TemporaryDirectory dir;
  const std::string before = MakeCa().cert_pem, after = MakeCa().cert_pem;
  dir.Write("ca.crt", before);
  for (const char* user : {"token: abc", ""}) {
    dir.Write("config",
              absl::StrCat("apiVersion: v1\nkind: Config\ncurrent-context: dev\n",
                           "clusters: [{name: c, cluster: {server: 'https://h', ",
                           "certificate-authority: ca.crt}}]\n", "users: [{name: u, user: {", user,
                           "}}]\n", "contexts: [{name: dev, context: {cluster: c, user: u}}]\n"));
    dir.Write("ca.crt", before);
    const auto access = LoadKubeconfig(dir.Path("config"), "");
    ASSERT_TRUE(access.ok()) << access.status();
    EXPECT_EQ(access->config.ca_pem, before);
    dir.Write("ca.crt", after);
    EXPECT_EQ(access->credentials->Get()->ca_pem, after);
  }
}

}  // namespace
}  // namespace xebec::kube::internal
