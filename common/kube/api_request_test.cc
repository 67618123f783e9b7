// SPDX-License-Identifier: Apache-2.0
#include "common/kube/api_request.h"

#include <gtest/gtest.h>

namespace xebec::kube {
namespace {

const ResourceType kDeployment{"apps", "v1", "Deployment", "deployments", false};
const ResourceType kPod{"", "v1", "Pod", "pods", false};
const ResourceType kNode{"", "v1", "Node", "nodes", true};

TEST(Paths, NameCollections) {
  EXPECT_EQ(CollectionPath(kDeployment, "default"), "/apis/apps/v1/namespaces/default/deployments");
  EXPECT_EQ(CollectionPath(kDeployment, ""), "/apis/apps/v1/deployments");
  EXPECT_EQ(CollectionPath(kPod, "a"), "/api/v1/namespaces/a/pods");
  EXPECT_EQ(CollectionPath(kNode, "ignored"), "/api/v1/nodes");
}

TEST(Paths, NameObjectsAndSubresources) {
  EXPECT_EQ(ObjectPath({kDeployment, "default", "web"}),
            "/apis/apps/v1/namespaces/default/deployments/web");
  EXPECT_EQ(ObjectPath({kPod, "a", "b"}, "status"), "/api/v1/namespaces/a/pods/b/status");
  EXPECT_EQ(ObjectPath({kNode, "", "n"}), "/api/v1/nodes/n");
}

TEST(Paths, NameDiscovery) {
  EXPECT_EQ(DiscoveryPath(kDeployment), "/apis/apps/v1");
  EXPECT_EQ(DiscoveryPath(kPod), "/api/v1");
}

TEST(Paths, HostileNamesStayOneSegment) {
  EXPECT_EQ(ObjectPath({kPod, "..", "a/b?c#d"}), "/api/v1/namespaces/%2E%2E/pods/a%2Fb%3Fc%23d");
  EXPECT_EQ(ObjectPath({kPod, ".", "system:x y"}), "/api/v1/namespaces/%2E/pods/system%3Ax%20y");
}

TEST(QueryEscape, EncodesEverythingReserved) {
  EXPECT_EQ(QueryEscape("app in (a,b),c!=d"), "app%20in%20%28a%2Cb%29%2Cc%21%3Dd");
  EXPECT_EQ(QueryEscape("a-b_c.d~e&=+%"), "a-b_c.d~e%26%3D%2B%25");
  EXPECT_EQ(QueryEscape("é"), "%C3%A9");
}

}  // namespace
}  // namespace xebec::kube
