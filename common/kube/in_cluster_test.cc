// SPDX-License-Identifier: Apache-2.0
#include "common/kube/in_cluster.h"

#include <gtest/gtest.h>

#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"

namespace xebec::kube::internal {
namespace {

using testing::TemporaryDirectory;

absl::StatusOr<ClusterAccess> From(const TemporaryDirectory& dir, const std::string& host) {
  return InClusterFrom(dir.Path("."), host, "443", &ReadClock);
}

TEST(InCluster, ReadsTheServiceAccount) {
  const std::string ca = testing::MakeCa().cert_pem;
  TemporaryDirectory dir;
  dir.Write("ca.crt", ca);
  dir.Write("token", "abc\n");
  dir.Write("namespace", "shop\n");
  const auto access = From(dir, "10.96.0.1");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->config.server, "https://10.96.0.1:443");
  EXPECT_EQ(access->config.ca_pem, ca);
  EXPECT_EQ(access->config.default_namespace, "shop");
  EXPECT_EQ(access->credentials->Get()->bearer_token, "abc");
  EXPECT_EQ(From(dir, "fd00::1")->config.server, "https://[fd00::1]:443");
}

TEST(InCluster, SaysWhatIsMissing) {
  TemporaryDirectory dir;
  const auto message = [&](const std::string& host) {
    return std::string(From(dir, host).status().message());
  };
  EXPECT_NE(message("").find("KUBERNETES_SERVICE_HOST is not set"), std::string::npos);
  EXPECT_NE(message("h").find("ca.crt: No such file"), std::string::npos);
  dir.Write("ca.crt", "junk");
  EXPECT_NE(message("h").find("ca.crt contains no PEM certificate"), std::string::npos);
  dir.Write("ca.crt", testing::MakeCa().cert_pem);
  EXPECT_NE(message("h").find("automountServiceAccountToken"), std::string::npos);
}

}  // namespace
}  // namespace xebec::kube::internal
