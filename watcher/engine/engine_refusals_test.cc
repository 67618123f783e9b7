// SPDX-License-Identifier: Apache-2.0
// Operators that the installation does not allow: each says why, and nothing of theirs is read.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Options Allowing(std::vector<std::string> parents, std::vector<std::string> children) {
  Options options = WithHooks();
  options.hook_parents = std::move(parents);
  options.hook_children = std::move(children);
  return options;
}

class EngineRefusalsTest : public EngineDeclarationsTest {
 protected:
  using EngineDeclarationsTest::EngineDeclarationsTest;

  // Declares "web" beside a widget. Returns why the Operator is refused.
  std::string Refusal() {
    t_.cluster.SetWidget("w", 1, 7);
    Start();
    const Observation facts = AnswerOperators();
    EXPECT_THAT(t_.observations, IsEmpty()) << "no widget is planned";
    EXPECT_THAT(Calls(), IsEmpty()) << "but Describe may be called";
    return facts.declaration_facts ? facts.declaration_facts->refusal : "no facts";
  }
};

struct ParentRefusalsTest : EngineRefusalsTest {
  ParentRefusalsTest() : EngineRefusalsTest(Allowing({"gadgets.example.com"}, {})) {}
};

TEST_F(ParentRefusalsTest, TheOperatorSaysThatItsParentIsNotAllowed) {
  EXPECT_THAT(Refusal(), HasSubstr("widgets.example.com is not among the parents that this "
                                   "installation allows; add it to hooks.parents"));
}

struct ChildRefusalsTest : EngineRefusalsTest {
  ChildRefusalsTest() : EngineRefusalsTest(Allowing({"widgets.example.com"}, {"secrets"})) {}
};

TEST_F(ChildRefusalsTest, TheOperatorSaysThatAChildIsNotAllowed) {
  EXPECT_THAT(Refusal(), HasSubstr("parts is not among the children that this installation "
                                   "allows; add it to hooks.children"));
}

struct AllowedTest : EngineRefusalsTest {
  AllowedTest() : EngineRefusalsTest(Allowing({"widgets.example.com"}, {"parts"})) {}
};

TEST_F(AllowedTest, AnOperatorOfAllowedResourcesIsPlanned) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  EXPECT_EQ(AnswerOperators().declaration_facts->refusal, "");
  EXPECT_EQ(t_.observations.size(), 1u);
}

TEST_F(EngineRefusalsTest, TheOperatorSaysThatAnotherOneFindsItsChildrenByAnotherLabel) {
  const auto labelled = [](const char* label) {
    Json spec = FakeCluster::OperatorOfWidgets();
    spec["children"][0]["parentLabel"] = label;
    spec["status"] = false;
    return spec;
  };
  Start(labelled("example.com/one"));
  t_.cluster.SetOperator("younger", labelled("example.com/two"));
  Complete();
  const auto refusal = [&](const char* name) {
    return t_.engine.Observe({OperatorType(), "", name}, t_.now)->declaration_facts->refusal;
  };
  EXPECT_THAT(refusal("younger"), HasSubstr("parts is found by another parent label already"));
  EXPECT_EQ(refusal("web"), "");
}

}  // namespace
}  // namespace xebec::watcher::testing
