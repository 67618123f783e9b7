// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/versions/cache_versions.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"

namespace xebec::watcher {
namespace {

using testing::Children;

// Found by the property test: the list was taken for what had been seen while it was merged.
TEST(CacheVersions, AListCountsOnlyOnceItIsTakenOver) {
  CacheVersions versions;
  versions.OnEvent("47", /*bookmark=*/false);
  versions.AdoptPart(Children({1}), Children({0, 2}), "41");
  EXPECT_EQ(versions.cursor(), "41");
  versions.OnEvent("46", /*bookmark=*/false);
  EXPECT_EQ(versions.Seen("47"), "46");
  versions.AdoptList("54");
  EXPECT_EQ(versions.Seen("47"), "46");
  versions.OnEvent("60", /*bookmark=*/false);
  EXPECT_EQ(versions.Seen("47"), "46") << "objects that the list lacks may still be here";
  versions.OnListed();
  EXPECT_EQ(versions.Seen("60"), "60");
}

TEST(CacheVersions, WithoutPartsTheWatermarkIsSeen) {
  CacheVersions versions;
  versions.OnEvent("47", /*bookmark=*/false);
  versions.AdoptList("45");
  EXPECT_EQ(versions.Seen("47"), "47");
  versions.OnListed();
  EXPECT_EQ(versions.Seen("47"), "47");
}

}  // namespace
}  // namespace xebec::watcher
