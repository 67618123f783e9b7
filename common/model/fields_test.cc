// SPDX-License-Identifier: Apache-2.0
#include "common/model/fields.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

Json J(std::string_view text) {
  const auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status() << text;
  return json.value_or(Json());
}

bool CoversText(std::string_view live, std::string_view desired) {
  const Json l = J(live), d = J(desired);
  const bool covers = Covers(l, d);
  EXPECT_EQ(covers, FieldsDigest(l, d) == FieldsDigest(d, d)) << live << " / " << desired;
  return covers;
}

// Objects and scalars.

TEST(Covers, LiveMayHoldMore) {
  EXPECT_TRUE(CoversText(R"({"spec":{"replicas":2,"paused":true},"status":{}})",
                         R"({"spec":{"replicas":2}})"));
  EXPECT_FALSE(CoversText(R"({"spec":{"replicas":2}})", R"({"spec":{"replicas":3}})"));
  EXPECT_FALSE(CoversText(R"({"spec":{}})", R"({"spec":{"replicas":3}})"));
  EXPECT_FALSE(CoversText(R"({})", R"({"spec":{"replicas":3}})"));
}

TEST(Covers, NumbersByValueButNeverAcrossTypes) {
  EXPECT_TRUE(CoversText(R"({"port":80})", R"({"port":80.0})"));
  EXPECT_FALSE(CoversText(R"({"port":80})", R"({"port":"80"})"));
  EXPECT_FALSE(CoversText(R"({"a":true})", R"({"a":1})"));
  EXPECT_FALSE(CoversText(R"({"a":18446744073709551615})", R"({"a":-1})"));
  EXPECT_FALSE(CoversText(R"({"a":{"b":1}})", R"({"a":[1]})"));
  EXPECT_FALSE(CoversText(R"({"a":"x"})", R"({"a":{"b":1}})"));
}

TEST(Covers, IdentityAndDigestAnnotationAreNotCompared) {
  EXPECT_TRUE(CoversText(
      R"({"metadata":{"uid":"1","resourceVersion":"7","annotations":{"xebec.dev/desired-digest":"v1:a","x":"1"}}})",
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"2","resourceVersion":"1",
          "annotations":{"xebec.dev/desired-digest":"v1:b","x":"1"}}})"));
  EXPECT_FALSE(CoversText(R"({"spec":{"kind":"A"}})", R"({"spec":{"kind":"B"}})"));
}

TEST(Covers, DefaultsOfTheServerAreNoDrift) {
  EXPECT_TRUE(CoversText(
      R"({"spec":{"template":{"spec":{"containers":[{"name":"iris","image":"a","imagePullPolicy":"Always",
          "terminationMessagePath":"/dev/termination-log","resources":{}}],"restartPolicy":"Always"}}}})",
      R"({"spec":{"template":{"spec":{"containers":[{"name":"iris","image":"a"}]}}}})"));
}

// Quantities.

TEST(Covers, QuantitiesByValueWhereKubernetesHasThem) {
  EXPECT_TRUE(CoversText(R"({"resources":{"requests":{"cpu":"1","memory":"1Gi"}}})",
                         R"({"resources":{"requests":{"cpu":"1000m","memory":"1073741824"}}})"));
  EXPECT_TRUE(CoversText(R"({"resources":{"limits":{"cpu":"2"}}})",
                         R"({"resources":{"limits":{"cpu":2}}})"));
  EXPECT_TRUE(CoversText(R"({"resources":{"limits":{"cpu":"500m"}}})",
                         R"({"resources":{"limits":{"cpu":0.5}}})"));
  EXPECT_TRUE(CoversText(R"({"resources":{"limits":{"cpu":"1m"}}})",
                         R"({"resources":{"limits":{"cpu":"100u"}}})"));
  EXPECT_TRUE(
      CoversText(R"({"emptyDir":{"sizeLimit":"1Gi"}})", R"({"emptyDir":{"sizeLimit":"1024Mi"}})"));
  EXPECT_TRUE(
      CoversText(R"({"spec":{"hard":{"pods":"1k"}}})", R"({"spec":{"hard":{"pods":"1000"}}})"));
  EXPECT_FALSE(CoversText(R"({"resources":{"requests":{"cpu":"1"}}})",
                          R"({"resources":{"requests":{"cpu":"1001m"}}})"));
}

TEST(Covers, TextThatLooksLikeAQuantityElsewhereIsText) {
  EXPECT_FALSE(CoversText(R"({"data":{"cpu":"1"}})", R"({"data":{"cpu":"1000m"}})"));
  EXPECT_FALSE(CoversText(R"({"env":[{"name":"A","value":"1"}]})",
                          R"({"env":[{"name":"A","value":"1.0"}]})"));
}

TEST(Covers, WhatIsNoQuantityIsComparedAsItIs) {
  EXPECT_FALSE(CoversText(R"({"resources":{"requests":{"cpu":"1"}}})",
                          R"({"resources":{"requests":{"cpu":"lots"}}})"));
  EXPECT_FALSE(CoversText(R"({"resources":{"requests":{"cpu":"1"}}})",
                          R"({"resources":{"requests":{"cpu":[1]}}})"));
}

// What the server drops.

TEST(Covers, WhatTheServerDropsIsEqualToAbsent) {
  EXPECT_TRUE(CoversText("{}", R"({"a":null,"env":[],"nodeSelector":{},"b":{"c":{},"d":null}})"));
  EXPECT_TRUE(CoversText(R"({"a":1})", R"({"a":null})"));
  EXPECT_TRUE(CoversText(R"({"env":[{"name":"A"}]})", R"({"env":[{"name":"A","value":""}]})"));
  EXPECT_TRUE(CoversText("{}", R"({"hostNetwork":false,"minReadySeconds":0,"readOnly":false})"));
  EXPECT_FALSE(CoversText(R"({"hostNetwork":true})", R"({"hostNetwork":false})"));
  EXPECT_FALSE(
      CoversText(R"({"env":[{"name":"A","value":"x"}]})", R"({"env":[{"name":"A","value":""}]})"));
}

TEST(Covers, EmptyValuesThatMeanSomethingAreKept) {
  EXPECT_FALSE(CoversText(R"({"volumes":[{"name":"v","hostPath":{"path":"/"}}]})",
                          R"({"volumes":[{"name":"v","emptyDir":{}}]})"));
  EXPECT_TRUE(CoversText(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                         R"({"volumes":[{"name":"v","emptyDir":{}}]})"));
  EXPECT_FALSE(CoversText(R"({"spec":{}})", R"({"spec":{"storageClassName":""}})"));
  EXPECT_FALSE(CoversText(R"({"data":{}})", R"({"data":{"key":""}})"));
  EXPECT_FALSE(CoversText(R"({"replicas":1})", R"({"replicas":0})"));
  EXPECT_FALSE(CoversText("{}", R"({"replicas":0})"));
  EXPECT_FALSE(CoversText("{}", R"({"automountServiceAccountToken":false})"));
}

// Lists.

TEST(Covers, ListsWithMergeKeysIgnoreOrderAndOthersElements) {
  EXPECT_TRUE(
      CoversText(R"({"containers":[{"name":"sidecar"},{"name":"b"},{"name":"a","image":"x"}]})",
                 R"({"containers":[{"name":"a","image":"x"},{"name":"b"}]})"));
  EXPECT_FALSE(CoversText(R"({"containers":[{"name":"a","image":"y"}]})",
                          R"({"containers":[{"name":"a","image":"x"}]})"));
  EXPECT_FALSE(CoversText(R"({"containers":[{"name":"b"}]})", R"({"containers":[{"name":"a"}]})"));
  EXPECT_FALSE(CoversText("{}", R"({"containers":[{"name":"a"}]})"));
}

TEST(Covers, PortsAreToldApartByProtocolToo) {
  EXPECT_TRUE(CoversText(
      R"({"ports":[{"containerPort":53,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]})",
      R"({"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":53}]})"));
  EXPECT_FALSE(CoversText(R"({"ports":[{"containerPort":53,"protocol":"TCP"}]})",
                          R"({"ports":[{"containerPort":53,"protocol":"UDP"}]})"));
}

TEST(Covers, MountsGoByPathAndOwnersByUid) {
  EXPECT_TRUE(CoversText(
      R"({"volumeMounts":[{"name":"v","mountPath":"/x"},{"name":"token","mountPath":"/t"},{"name":"v","mountPath":"/y"}]})",
      R"({"volumeMounts":[{"name":"v","mountPath":"/y"},{"name":"v","mountPath":"/x"}]})"));
  EXPECT_FALSE(CoversText(R"({"ownerReferences":[{"name":"a","uid":"1"}]})",
                          R"({"ownerReferences":[{"name":"a","uid":"2"}]})"));
}

TEST(Covers, OtherListsGoByPositionAndLength) {
  EXPECT_TRUE(CoversText(R"({"args":["a","b"]})", R"({"args":["a","b"]})"));
  EXPECT_FALSE(CoversText(R"({"args":["b","a"]})", R"({"args":["a","b"]})"));
  EXPECT_FALSE(CoversText(R"({"args":["a","b","c"]})", R"({"args":["a","b"]})"));
  EXPECT_FALSE(CoversText(R"({"args":["a"]})", R"({"args":[]})"));
  EXPECT_TRUE(CoversText(R"({"rules":[{"host":"a","x":1}]})", R"({"rules":[{"host":"a"}]})"));
}

TEST(Covers, NamesThatAreNotUniqueGoByPosition) {
  EXPECT_FALSE(CoversText(R"({"x":[{"name":"a","v":2},{"name":"a","v":1}]})",
                          R"({"x":[{"name":"a","v":1},{"name":"a","v":2}]})"));
}

TEST(Covers, AtomicListsAllowNoAdditionalElement) {
  EXPECT_FALSE(CoversText(R"({"subjects":[{"name":"a"},{"name":"intruder"}]})",
                          R"({"subjects":[{"name":"a"}]})"));
}

TEST(Covers, FinalizersOfOthersAreTheirs) {
  EXPECT_TRUE(CoversText(R"({"metadata":{"finalizers":["b","a"]}})",
                         R"({"metadata":{"finalizers":["a"]}})"));
  EXPECT_FALSE(
      CoversText(R"({"metadata":{"finalizers":["b"]}})", R"({"metadata":{"finalizers":["a"]}})"));
}

// Digests.

TEST(FieldsDigest, ChangesExactlyWithOurFields) {
  const Json desired = J(R"({"spec":{"replicas":2,"containers":[{"name":"a","image":"x"}]}})");
  const Json live =
      J(R"({"spec":{"replicas":3,"containers":[{"name":"a","image":"x"}]},"status":{"n":1}})");
  Json elsewhere = live;
  elsewhere["status"]["n"] = 2;
  elsewhere["spec"]["containers"][0]["tty"] = true;
  EXPECT_EQ(FieldsDigest(elsewhere, desired), FieldsDigest(live, desired));
  Json ours = live;
  ours["spec"]["replicas"] = 4;
  EXPECT_NE(FieldsDigest(ours, desired), FieldsDigest(live, desired));
  ours["spec"].erase("replicas");
  EXPECT_NE(FieldsDigest(ours, desired), FieldsDigest(live, desired));
}

TEST(DesiredDigest, HasItsFormAndForgetsItself) {
  const Json desired = J(R"({"metadata":{"name":"a"},"spec":{"x":1}})");
  EXPECT_THAT(DesiredDigest(desired), testing::MatchesRegex("v1:[0-9a-f]{16}"));
  Json stamped = desired;
  stamped["metadata"]["annotations"]["xebec.dev/desired-digest"] = DesiredDigest(desired);
  EXPECT_EQ(DesiredDigest(stamped), DesiredDigest(desired));
}

TEST(DesiredDigest, IsTheSameInEveryVersion) {
  EXPECT_EQ(DesiredDigest(J(R"({"metadata":{"name":"a"},"spec":{"x":1}})")), "v1:2163e8c10efd1d3f");
}

TEST(FieldSetDigest, ValuesDoNotCountButFieldsDo) {
  const std::string base = FieldSetDigest(J(R"({"spec":{"replicas":1,"labels":{"a":"b"}}})"));
  EXPECT_THAT(base, testing::MatchesRegex("[0-9a-f]{8}"));
  EXPECT_EQ(base, FieldSetDigest(J(R"({"spec":{"labels":{"a":"c"},"replicas":2,"x":null}})")));
  EXPECT_NE(base, FieldSetDigest(J(R"({"spec":{"replicas":1,"labels":{"c":"b"}}})")));
  EXPECT_NE(base, FieldSetDigest(J(R"({"spec":{"replicas":1}})")));
}

// An element of a set and a merge key are fields, whatever their place in the list.
TEST(FieldSetDigest, ScalarsInListsCount) {
  EXPECT_NE(FieldSetDigest(J(R"({"finalizers":["a"]})")),
            FieldSetDigest(J(R"({"finalizers":["b"]})")));
  const Json before =
      J(R"({"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}]}]})");
  EXPECT_EQ(FieldSetDigest(before),
            FieldSetDigest(J(
                R"({"containers":[{"name":"c","image":"i:2","ports":[{"containerPort":80}]}]})")));
  EXPECT_NE(FieldSetDigest(before),
            FieldSetDigest(J(
                R"({"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":81}]}]})")));
}

TEST(Stamp, HasBothDigests) {
  const Json desired = J(R"({"spec":{"x":1}})");
  const std::string stamp = StampOf(desired);
  EXPECT_EQ(DigestInStamp(stamp), DesiredDigest(desired));
  EXPECT_EQ(FieldSetInStamp(stamp), FieldSetDigest(desired));
  EXPECT_EQ(DigestInStamp("v1:abc"), "v1:abc");
  EXPECT_EQ(FieldSetInStamp("v1:abc"), "");
}

TEST(DesiredDigest, OtherAnnotationsCount) {
  const Json with = J(R"({"metadata":{"annotations":{"x":"1"}}})");
  EXPECT_NE(DesiredDigest(with), DesiredDigest(J(R"({"metadata":{}})")));
}

TEST(DesiredDigest, NullsAndMemberOrderDoNotCount) {
  EXPECT_EQ(DesiredDigest(J(R"({"b":2,"a":1,"c":null})")), DesiredDigest(J(R"({"a":1,"b":2})")));
  EXPECT_NE(DesiredDigest(J(R"({"a":2})")), DesiredDigest(J(R"({"a":1})")));
}

}  // namespace
}  // namespace xebec
