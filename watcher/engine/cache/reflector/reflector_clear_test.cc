// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::ListEnd;
using testing::MakeObject;
using testing::ReflectorTest;

/// A reflector with many objects, and what shows whether their bytes are still there.
class ReflectorClearTest : public ReflectorTest {
 protected:
  void Fill(size_t objects) {
    std::vector<kube::WatchEvent> events;
    for (size_t i = 0; i < objects; ++i) {
      const std::string number = std::to_string(i);
      events.push_back(Added(MakeObject("pod-" + number, "u" + number, "5")));
    }
    events.push_back(ListEnd("10"));
    Start();
    Events(std::move(events));
    while (!listed_) TickWhenDue();
    const ObjectTable& stored = reflector_.store().objects();
    for (Slot slot = 0; slot < stored.end(); ++slot) {
      bytes_.push_back(stored.at(slot).json.packed());
    }
  }
  size_t Left() const {
    size_t left = 0;
    for (const auto& each : bytes_) left += each.users() > 1 ? 1 : 0;
    return left;
  }
  void Clear() {
    Do([&](auto& c) { reflector_.Clear(c); });
    changes_.clear();
  }

  std::vector<SharedBytes> bytes_;
};

TEST_F(ReflectorClearTest, FreesManyObjectsInSteps) {
  Fill(5000);
  Clear();
  EXPECT_NE(Requested<StopStream>(), nullptr);
  EXPECT_TRUE(reflector_.store().objects().empty());
  EXPECT_EQ(Left(), 5000u);
  for (size_t before = Left(); before > 0; before = Left()) {
    EXPECT_EQ(reflector_.NextDeadline(), now_);
    TickWhenDue();
    EXPECT_LE(before - Left(), ReflectorPolicy().merge_step);
  }
  EXPECT_EQ(reflector_.NextDeadline(), absl::InfiniteDuration());
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(reflector_.availability(), Availability::kPending);
  const Reflector after_many = reflector_;
  reflector_ = Reflector(reflector_.spec(), {.barrier_pages = 0});
  Fill(0);
  Clear();
  EXPECT_EQ(reflector_, after_many) << "nothing is left of the objects";
}

// A gate waits for a list that began after a write. If the numbers began at 1 again, it would wait
// for as many lists as there were before.
TEST_F(ReflectorClearTest, ListsAreCountedOnSoThatAListAfterAWriteIsKnown) {
  Fill(3);
  const uint64_t before = reflector_.cache().lists().begun;
  Clear();
  EXPECT_EQ(reflector_.cache().lists().taken, 0u);
  Start();
  Events({ListEnd("20")});
  EXPECT_GT(reflector_.cache().lists().taken, before);
}

TEST_F(ReflectorClearTest, StartsAgainWhileObjectsAreFreed) {
  Fill(5000);
  Clear();
  Start();
  Events({Added(MakeObject("a", "ua", "15")), ListEnd("20")});
  while (Left() > 0) {
    EXPECT_EQ(reflector_.NextDeadline(), now_);
    TickWhenDue();
  }
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_EQ(reflector_.store().objects().size(), 1u);
  EXPECT_TRUE(Has("a"));
}

}  // namespace
}  // namespace xebec::watcher
