// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/transfer_page.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"
#include "watcher/engine/testing/pool_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Children;
using testing::Deleted;
using testing::MakeObject;
using testing::PoolRig;
using testing::UidIn;

const ResourceType kPods{.group = "", .version = "v1", .kind = "Pod", .plural = "pods"};

/// A pool with the children of buckets 0 to 2 of 4, as of version 1000: two of bucket 0 and one of
/// bucket 1.
class TransferPageTest : public ::testing::Test {
 protected:
  TransferPageTest() {
    CacheContext context{rig_.now, &out_};
    rig_.pool.Watch(Spec({0, 1, 2}), context);
    rig_.Serve(kPods, {Child("a", 0), Child("b", 1), Child("c", 0)});
  }
  static ResourceSpec Spec(std::initializer_list<uint32_t> buckets) {
    ResourceSpec spec{kPods, "", "", {}};
    spec.projection.keep = Children(buckets, 4);
    return spec;
  }
  static kube::DecodedObject Child(const std::string& name, uint32_t bucket) {
    return MakeObject(name, "u" + name, "7", UidIn(bucket));
  }
  static std::vector<std::string> Texts(const TransferPage& page) {
    std::vector<std::string> texts;
    for (const PackedJson& each : page.objects) texts.push_back(*each.Unpack());
    return texts;
  }
  absl::StatusOr<TransferPage> Ask(const TransferRequest& request) const {
    return TransferObjects(rig_.pool, request);
  }

  Outputs out_;
  PoolRig rig_;
};

TEST_F(TransferPageTest, ShowsTheObjectsOfTheBuckets) {
  const auto page = Ask({Spec({0}), ""});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(Texts(*page), (std::vector<std::string>{R"({"a":"7"})", R"({"c":"7"})"}));
  EXPECT_EQ(page->version, "1000");
  EXPECT_EQ(page->token, "");
}

TEST_F(TransferPageTest, PagesAreBoundedAndKeepTheVersionOfTheFirst) {
  const auto first = Ask({Spec({0, 1}), "", 2});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->objects.size(), 2u);
  rig_.Feed(kPods, {Added(MakeObject("d", "ud", "1001", UidIn(0)))});
  const auto second = Ask({Spec({0, 1}), first->token, 2});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->objects.size(), 2u) << "what has come meanwhile may be there, too";
  EXPECT_EQ(second->version, "1000");
  const auto small = Ask({Spec({0, 1}), "", 100, 1});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->objects.size(), 1u);
  EXPECT_NE(small->token, "");
}

TEST_F(TransferPageTest, RefusesWhatTheCacheDoesNotHold) {
  ResourceSpec fields = Spec({0});
  fields.projection.fields = {"spec"};
  ResourceSpec type = Spec({0});
  type.type.plural = "jobs";
  for (const ResourceSpec& spec : {Spec({0, 3}), fields, type}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(Ask({spec, ""}).status()));
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(Ask({Spec({0}), "nonsense"}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(Ask({Spec({0}), "7/0/0/1000"}).status()));
}

TEST_F(TransferPageTest, ATokenIsNotValidOnceBucketsHaveMoved) {
  const auto first = Ask({Spec({0}), "", 1});
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_NE(first->token, "");
  CacheContext context{rig_.now, &out_};
  rig_.pool.Watch(Spec({0, 1}), context);
  EXPECT_TRUE(absl::IsFailedPrecondition(Ask({Spec({0}), first->token, 1}).status()));
  EXPECT_TRUE(Ask({Spec({0}), "", 1}).ok());
}

TEST(TransferPage, TheLastPageHasTheLabelsOfObjectsWhoseParentsAreNotHere) {
  const ResourceType sets{.group = "apps", .version = "v1", .kind = "Set", .plural = "sets"};
  PoolRig rig;
  Outputs out;
  CacheContext context{rig.now, &out};
  ResourceSpec parents{sets, "", "", {}}, children{kPods, "", "", {}};
  parents.projection.keep = testing::Parents({0, 1});
  children.projection.keep = Children({0, 1});
  children.projection.keep.labels = true;
  rig.pool.Watch(parents, context);
  rig.Serve(sets, {});
  rig.Feed(sets, {});  // so that the rig knows the watch
  rig.pool.Watch(children, context);
  rig.pool.SetLabelParents(*rig.pool.Find(kPods, ""), {sets});
  rig.Serve(kPods, {});
  const auto labelled = [](const std::string& parent) {
    kube::DecodedObject pod = MakeObject(parent + "-pod", "u" + parent, "1001", UidIn(3));
    pod.header.parent_label = parent;
    return pod;
  };
  rig.Feed(sets, {Added(MakeObject("zero", UidIn(0), "1000"))});
  rig.Feed(kPods, {Added(labelled("early")), Added(labelled("late")), Added(labelled("other")),
                   Added(labelled("zero"))});
  children.projection.keep.buckets = Children({1}).buckets;
  const auto page = [&] { return TransferObjects(rig.pool, {children, ""}); };
  ASSERT_TRUE(page().ok()) << page().status();
  EXPECT_EQ(page()->left_out.size(), 3u);
  EXPECT_TRUE(page()->objects.empty()) << "zero is of another bucket";
  rig.Feed(sets, {Added(MakeObject("late", UidIn(1), "1002"))});
  EXPECT_TRUE(absl::IsFailedPrecondition(page().status())) << "a list is due";
  context.now = rig.now += absl::Seconds(6);
  out.clear();
  rig.pool.OnTick(context);
  ASSERT_EQ(out.size(), 1u);
  const StreamId list = std::get<StartList>(out.front()).stream;
  rig.pool.On(ListArrived{list, {{labelled("late"), labelled("zero")}, "1003", ""}}, context);
  ASSERT_TRUE(page().ok()) << page().status();
  EXPECT_EQ(page()->objects.size(), 1u);
  EXPECT_EQ(page()->left_out, (std::vector<ObjectKey>{{"default", "early"}, {"default", "other"}}));
}

TEST_F(TransferPageTest, RefusesWhileTheObjectsAreListedAgain) {
  CacheContext context{rig_.now, &out_};
  rig_.pool.Doubt(*rig_.pool.Find(kPods, ""), context);
  EXPECT_TRUE(absl::IsFailedPrecondition(Ask({Spec({0}), ""}).status()));
}

}  // namespace
}  // namespace xebec::watcher
