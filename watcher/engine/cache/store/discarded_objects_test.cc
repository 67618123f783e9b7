// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/discarded_objects.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::MakeObject;

constexpr absl::Duration kNow = absl::Seconds(100);

/// A table of objects, and what shows whether their bytes are still there.
struct Watched {
  explicit Watched(int objects) {
    for (int i = 0; i < objects; ++i) {
      const kube::DecodedObject object = MakeObject(std::to_string(i), "u", "1");
      const StoredObject stored = ToStored(object);
      bytes.push_back(stored.json.packed());
      table.Set({"default", object.header.name}, stored);
    }
  }
  size_t Left() const {
    size_t left = 0;
    for (const auto& each : bytes) left += each.users() > 1 ? 1 : 0;
    return left;
  }

  std::vector<SharedBytes> bytes;
  ObjectTable table;
};

TEST(DiscardedObjects, FewAreFreedAtOnce) {
  Watched few(3);
  DiscardedObjects discarded;
  discarded.Add(std::move(few.table), 3, kNow);
  EXPECT_EQ(few.Left(), 0u);
  EXPECT_EQ(discarded.due(), absl::InfiniteDuration());
}

TEST(DiscardedObjects, ManyAreFreedInSteps) {
  Watched many(7);
  Watched more(4);
  DiscardedObjects discarded;
  discarded.Add(std::move(many.table), 3, kNow);
  EXPECT_EQ(discarded.due(), kNow);
  discarded.Step(3, kNow);
  EXPECT_EQ(many.Left(), 4u);
  discarded.Add(std::move(more.table), 3, kNow);
  for (int steps = 1; steps <= 5; ++steps) {
    EXPECT_EQ(discarded.due(), kNow);
    const size_t before = many.Left() + more.Left();
    discarded.Step(3, kNow);
    EXPECT_LE(before - many.Left() - more.Left(), 3u);
  }
  EXPECT_EQ(many.Left() + more.Left(), 0u);
  EXPECT_EQ(discarded.due(), absl::InfiniteDuration());
}

}  // namespace
}  // namespace xebec::watcher
