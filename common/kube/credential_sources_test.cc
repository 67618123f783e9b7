// SPDX-License-Identifier: Apache-2.0
#include "common/kube/credential_sources.h"

#include <gtest/gtest.h>

#include "common/kube/testing/temporary_directory.h"

namespace xebec::kube::internal {
namespace {

using testing::TemporaryDirectory;

struct Rig {
  Rig() {
    UserEntry user;
    user.token_file = dir.Write("token", "one");
    source = std::make_unique<FileCredentialSource>(user, "u", [this] { return now; });
  }
  std::string Token() { return source->Get()->bearer_token; }

  TemporaryDirectory dir;
  Instant now{absl::FromUnixSeconds(1714564800), absl::Seconds(5)};
  std::unique_ptr<FileCredentialSource> source;
};

TEST(FileCredentialSource, ReadsTokenFilesAgainAfterAMinute) {
  Rig rig;
  EXPECT_EQ(rig.Token(), "one");
  rig.dir.Write("token", "two");
  rig.now.monotonic += absl::Seconds(59);
  EXPECT_EQ(rig.Token(), "one");
  rig.now.monotonic += absl::Seconds(1);
  EXPECT_EQ(rig.Token(), "two");
}

TEST(FileCredentialSource, ReadsTokenFilesAgainAfterInvalidate) {
  Rig rig;
  EXPECT_EQ(rig.Token(), "one");
  rig.dir.Write("token", "two");
  rig.source->Invalidate();
  EXPECT_EQ(rig.Token(), "two");
}

TEST(FileCredentialSource, RefusesAnEmptyTokenFile) {
  Rig rig;
  rig.dir.Write("token", " \n");
  const auto credentials = rig.source->Get();
  ASSERT_FALSE(credentials.ok());
  EXPECT_NE(credentials.status().message().find("the token is empty"), absl::string_view::npos)
      << credentials.status();
}

TEST(CleanToken, RefusesWhatWouldBreakAHeader) {
  EXPECT_EQ(CleanToken(" abc \n").value(), "abc");
  EXPECT_FALSE(CleanToken("a\r\nX-Header: b").ok());
  EXPECT_FALSE(CleanToken("").ok());
}

}  // namespace
}  // namespace xebec::kube::internal
