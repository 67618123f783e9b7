// SPDX-License-Identifier: Apache-2.0
#include "common/kube/discovery.h"

#include <gtest/gtest.h>

namespace xebec::kube {
namespace {

constexpr char kList[] =
    R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[)"
    R"({"name":"irises","singularName":"iris","namespaced":true,"kind":"Iris","verbs":["get"]},)"
    R"({"name":"irises/status","namespaced":true,"kind":"Iris","verbs":["get"]},)"
    R"({"name":"roses","namespaced":false,"kind":"Rose"},{"name":"roses/scale","kind":"Scale"}]})";

TEST(DecodeDiscovery, FindsResourcesAndTheirSubresources) {
  EXPECT_EQ(DecodeDiscovery(kList, "irises").value(),
            (ResourceSupport{true, true, true, false, "Iris"}));
  EXPECT_EQ(DecodeDiscovery(kList, "roses").value(),
            (ResourceSupport{true, false, false, true, "Rose"}));
  EXPECT_EQ(DecodeDiscovery(kList, "rose").value(), ResourceSupport{});
}

TEST(DecodeDiscovery, RefusesOtherAnswers) {
  for (const char* bad : {"", "{}", "404 page not found", R"({"kind":"Status"})",
                          R"({"kind":"APIResourceList","resources":{}})"}) {
    EXPECT_FALSE(DecodeDiscovery(bad, "irises").ok()) << bad;
  }
}

TEST(DecodeDiscovery, RefusesAResourceWithoutScope) {
  const auto support = DecodeDiscovery(
      R"({"kind":"APIResourceList","resources":[{"name":"irises","kind":"Iris"}]})", "irises");
  EXPECT_EQ(support.status().message(),
            "discovery: the answer does not say whether irises is namespaced");
}

TEST(DecodeGroup, NamesTheVersionsInOrder) {
  EXPECT_EQ(DecodeGroup(R"({"kind":"APIGroup","name":"example.com","versions":[)"
                        R"({"groupVersion":"example.com/v2","version":"v2"},)"
                        R"({"groupVersion":"example.com/v1","version":"v1"}]})")
                .value(),
            (std::vector<std::string>{"v2", "v1"}));
  for (const char* bad : {"", "{}", R"({"kind":"APIGroup"})", R"({"kind":"Status"})"}) {
    EXPECT_FALSE(DecodeGroup(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace xebec::kube
