// SPDX-License-Identifier: Apache-2.0
// A Probe's whole life, from creation to the last claim, cut off after every operation.
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/testing/rounds.h"
#include "planner/core/testing/probe.h"
#include "planner/core/testing/random_scenes.h"
#include "tests/support/planning.h"

namespace xebec::planner {
namespace {

using testing::Prefix;
using testing::Scene;

constexpr int kReconciles = 30;
const ResourceType kClaims{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", false};

bool IsDeleting(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

/// A Probe in a simulated cluster: its StatefulSet creates claims, and deleted objects end one
/// reconcile later. The run is cut off after some of all operations; the rest of the plan is lost.
class Life {
 public:
  explicit Life(std::set<size_t> cuts)
      : scene_(ProbeKind(), {{"metadata", {{"name", "p"}}},
                             {"spec", {{"replicas", 2}, {"data", {{"k", "v"}}}}}}),
        cuts_(std::move(cuts)) {
    Json theirs = Claim("theirs", "another-uid");
    scene_.world.Put(kClaims, std::move(theirs));
    uid_ = scene_.Parent()["metadata"]["uid"];
    scene_.world.linger = true;
  }

  void Run() {
    Reconcile();
    scene_.world.Edit(scene_.parent, [](Json& probe) { probe["spec"]["data"]["k"] = "w"; });
    Reconcile();
    ExpectAsWanted();
    scene_.world.Delete(scene_.parent);
    Reconcile();
    ExpectGone();
  }

  size_t operations() const { return done_; }

 private:
  Json Claim(const std::string& name, const std::string& uid) const {
    return {{"metadata",
             {{"name", name},
              {"labels", {{std::string(kProbeLabel), "p"}, {std::string(kProbeUidLabel), uid}}}}}};
  }

  void Reconcile() {
    for (int i = 0; i < kReconciles && scene_.world.Get(scene_.parent) != nullptr; ++i) {
      Plan plan = scene_.Ask();
      if (!plan.live_lists.empty()) plan = scene_.Ask(/*live=*/true);
      CheckOrder(plan);
      const size_t count = CountOperations(plan);
      const auto cut = cuts_.lower_bound(done_);
      const bool crash = cut != cuts_.end() && *cut < done_ + count;
      const Plan carried = crash ? Prefix(plan, *cut - done_) : plan;
      done_ += count;
      scene_.world.Carry(carried);
      ControllersAct();
    }
  }

  // Claims for Pods of a StatefulSet that is there; an end to what is terminating.
  void ControllersAct() {
    for (const char* kind : {"ConfigMap", "StatefulSet", "PersistentVolumeClaim"}) {
      for (const ObjectRef& ref : scene_.world.List(kind)) {
        if (IsDeleting(*scene_.world.Get(ref))) scene_.world.Finish(ref);
      }
    }
    for (const ObjectRef& ref : scene_.world.List("StatefulSet")) {
      for (int i = 0; i < 2; ++i) {
        const std::string name = absl::StrCat("data-", ref.name, "-", i);
        if (scene_.world.Get(scene_.Ref(kClaims, name)) == nullptr) {
          scene_.world.Put(kClaims, Claim(name, uid_));
        }
      }
    }
  }

  // A claim goes when no StatefulSet is left, the ConfigMap when no claim is, the finalizer last.
  void CheckOrder(const Plan& plan) {
    const bool set = !scene_.world.List("StatefulSet").empty();
    const bool claims = scene_.world.List("PersistentVolumeClaim").size() > 1;
    const bool map = !scene_.world.List("ConfigMap").empty();
    for (const Stage& stage : plan.stages) {
      for (const Operation& each : stage.operations) {
        const std::string& kind = each.target.type.kind;
        const bool last = std::holds_alternative<RemoveFinalizer>(each.action);
        EXPECT_FALSE(last && (set || claims || map)) << each.id;
        if (!std::holds_alternative<Delete>(each.action)) continue;
        EXPECT_NE(each.target.name, "theirs");
        EXPECT_FALSE(kind == "PersistentVolumeClaim" && set) << each.id;
        EXPECT_FALSE(kind == "ConfigMap" && (set || claims)) << each.id;
      }
    }
  }

  void ExpectAsWanted() {
    const auto maps = scene_.world.List("ConfigMap");
    ASSERT_EQ(maps.size(), 1U);
    EXPECT_EQ((*scene_.world.Get(maps[0]))["data"]["k"], "w");
    EXPECT_EQ(scene_.world.List("StatefulSet").size(), 1U);
    EXPECT_EQ(scene_.world.List("PersistentVolumeClaim").size(), 3U);
  }

  void ExpectGone() {
    EXPECT_EQ(scene_.world.Get(scene_.parent), nullptr);
    EXPECT_TRUE(scene_.world.List("ConfigMap").empty());
    EXPECT_TRUE(scene_.world.List("StatefulSet").empty());
    const auto claims = scene_.world.List("PersistentVolumeClaim");
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].name, "theirs");
  }

  Scene scene_;
  std::set<size_t> cuts_;
  std::string uid_;
  size_t done_ = 0;
};

size_t Operations(std::set<size_t> cuts) {
  Life life(std::move(cuts));
  life.Run();
  return life.operations();
}

TEST(ProbeCrash, LifeCutOffAtEveryOperationEndsAsWithoutACut) {
  const size_t operations = Operations({});
  // Finalizer, ConfigMap, StatefulSet, a change, four deletions, the finalizer again.
  EXPECT_EQ(operations, 9U);
  for (size_t cut = 0; cut <= operations; ++cut) {
    SCOPED_TRACE(cut);
    EXPECT_GE(Operations({cut}), operations);
  }
}

TEST(ProbeCrash, LifeCutOffAtEveryTwoOperationsEndsAsWithoutACut) {
  for (size_t first = 0; first < 12 && !HasFailure(); ++first) {
    for (size_t second = first + 1; second < 14; second += testing::Stride(1)) {
      SCOPED_TRACE(absl::StrCat(first, ", ", second));
      Operations({first, second});
    }
  }
}

}  // namespace
}  // namespace xebec::planner
