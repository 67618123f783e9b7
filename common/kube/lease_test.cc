// SPDX-License-Identifier: Apache-2.0
#include "common/kube/lease.h"

#include <gtest/gtest.h>

#include "common/base/json.h"

namespace xebec::kube {
namespace {

TEST(Lease, SurvivesARoundTrip) {
  const Lease lease{"xebec",
                    "watcher-0",
                    "pod-1_abc",
                    7,
                    absl::Seconds(15),
                    "2024-05-01T12:00:00.000001Z",
                    "2024-05-01T11:00:00.000000Z",
                    "88",
                    {{"xebec.dev/assignment", "x"}}};
  const auto decoded = DecodeLease(EncodeLease(lease));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, lease);
}

TEST(DecodeLease, KeepsOwnAnnotationsOnly) {
  const auto lease = DecodeLease(
      R"({"metadata":{"name":"l","annotations":{"xebec.dev/a":"1","other.dev/b":"2"}}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->annotations, (std::map<std::string, std::string>{{"xebec.dev/a", "1"}}));
}

TEST(Lease, IsFoundByItsLabel) {
  const Json body = ParseJson(EncodeLease(Lease())).value();
  EXPECT_EQ(body["metadata"]["labels"]["app.kubernetes.io/part-of"], "xebec");
}

TEST(Lease, ReleasedOnesAreWrittenAsTheServerAcceptsThem) {
  Lease released;
  released.name = "l";
  released.transitions = 3;
  const Json body = ParseJson(EncodeLease(released)).value();
  EXPECT_FALSE(body["spec"].contains("holderIdentity"));
  EXPECT_FALSE(body["spec"].contains("renewTime"));
  EXPECT_FALSE(body["metadata"].contains("resourceVersion"));
  EXPECT_EQ(body["spec"]["leaseDurationSeconds"], 1);
  EXPECT_EQ(body["spec"]["leaseTransitions"], 3);
}

TEST(DecodeLease, TakesAMissingSpecForNobody) {
  const auto lease = DecodeLease(R"({"metadata":{"name":"l","resourceVersion":"1"}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->holder, "");
  EXPECT_EQ(lease->transitions, 0u);
  EXPECT_EQ(lease->duration, absl::ZeroDuration());
}

TEST(DecodeLease, RefusesWhatIsNoLease) {
  for (const char* bad :
       {"", "[]", "{}", R"({"metadata":{"name":"l"},"spec":{"leaseTransitions":-1}})",
        R"({"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":"x"}})"}) {
    EXPECT_FALSE(DecodeLease(bad).ok()) << bad;
  }
}

TEST(FormatMicroTime, WritesSixDigitsOfASecond) {
  EXPECT_EQ(FormatMicroTime(absl::FromUnixMicros(1714564800000001)), "2024-05-01T12:00:00.000001Z");
  EXPECT_EQ(FormatMicroTime(absl::FromUnixSeconds(0)), "1970-01-01T00:00:00.000000Z");
}

}  // namespace
}  // namespace xebec::kube
