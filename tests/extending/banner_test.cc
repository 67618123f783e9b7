// SPDX-License-Identifier: Apache-2.0
#include "tests/extending/banner.h"

#include <gtest/gtest.h>

#include "planner/kinds/resources.h"
#include "tests/support/planning.h"

namespace xebec::planner {
namespace {

using testing::Scene;

Scene Banner(std::string_view spec) {
  return Scene(BannerKinds()[0], {{"metadata", {{"name", "sample"}}}, {"spec", *ParseJson(spec)}});
}

TEST(Banner, CreatesItsConfigMap) {
  Scene scene = Banner(R"({"text": "welcome"})");
  scene.Converge();
  const Json* config_map = scene.world.Get(scene.Ref(ConfigMapType(), "sample-banner"));
  ASSERT_NE(config_map, nullptr);
  EXPECT_EQ((*config_map)["data"]["text"], "welcome");
  EXPECT_EQ(scene.ConditionOf("Ready"), "True ConfigMapReady");
}

TEST(Banner, RestoresItsConfigMapAfterAnotherWriterChangedIt) {
  Scene scene = Banner("{}");
  scene.Converge();
  const ObjectRef ref = scene.Ref(ConfigMapType(), "sample-banner");
  scene.world.Edit(ref, [](Json& config_map) { config_map["data"]["text"] = "other"; });
  scene.Converge();
  EXPECT_EQ((*scene.world.Get(ref))["data"]["text"], "hello");
}

TEST(Banner, RejectsATextThatIsNotAString) {
  Scene scene = Banner(R"({"text": 5})");
  scene.Converge();
  EXPECT_EQ(scene.ConditionOf("Ready"), "False InvalidSpec");
}

}  // namespace
}  // namespace xebec::planner
