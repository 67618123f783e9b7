// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/packed_json.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/cache/store/json_dictionary.h"

namespace xebec::watcher {
namespace {

constexpr char kDeployment[] =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-17","namespace":"shop",)"
    R"("uid":"79171844-9a4e-4962-b500-3fc715486933","resourceVersion":"31712","generation":1,)"
    R"("creationTimestamp":"2026-11-24T16:14:00Z","annotations":{"xebec.dev/desired-digest":)"
    R"("v1:ee2e929005befaee.8139510c"},"ownerReferences":[{"apiVersion":"example.com/v1alpha1",)"
    R"("kind":"Iris","name":"web-17","uid":"33ee75cd-9659-4913-8afa-e87803113abf","controller":true,)"
    R"("blockOwnerDeletion":true}]},"spec":{"replicas":1,"selector":{"matchLabels":)"
    R"({"iris/deployment-name":"web-17"}},"template":{"metadata":{"labels":{"iris/deployment-name":)"
    R"("web-17"}},"spec":{"containers":[{"name":"iris","image":"nginx","resources":{},)"
    R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
    R"("imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
    R"("dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}},)"
    R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},)"
    R"("revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}})";

/// Bytes that no compressor makes smaller.
std::string Noise(size_t size) {
  std::string noise;
  uint64_t state = 1;
  while (noise.size() < size) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise += static_cast<char>(state >> 56);
  }
  return noise;
}

TEST(PackedJson, UnpacksToTheSameBytes) {
  const std::string cases[] = {"",
                               "{}",
                               kDeployment,
                               std::string(kJsonDictionary),
                               std::string(kJsonDictionary) + kDeployment,
                               Noise(1),
                               Noise(100'000),
                               std::string(3'000'000, 'x')};
  for (const std::string& json : cases) EXPECT_EQ(*PackedJson(json).Unpack(), json);
}

TEST(PackedJson, ATypicalChildNeedsAThirdOfItsBytes) {
  EXPECT_LT(PackedJson(kDeployment).packed().view().size() * 3, sizeof(kDeployment));
}

TEST(PackedJson, ComparesTheJson) {
  EXPECT_EQ(PackedJson(kDeployment), PackedJson(std::string(kDeployment)));
  EXPECT_FALSE(PackedJson("{}") == PackedJson("[]"));
  EXPECT_FALSE(PackedJson("{}") == PackedJson());
}

TEST(PackedJson, CopiesShareTheirBytes) {
  const PackedJson json(kDeployment);
  const PackedJson copy = json;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.packed().users(), 2u);
}

}  // namespace
}  // namespace xebec::watcher
