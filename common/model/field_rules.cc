// SPDX-License-Identifier: Apache-2.0
#include "common/model/field_rules.h"

#include <algorithm>
#include <array>

namespace xebec {
namespace {

template <size_t N>
bool Contains(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

constexpr std::array<std::string_view, 2> kResourceLists = {"requests", "limits"};
constexpr std::array<std::string_view, 4> kQuantityMaps = {"capacity", "hard", "overhead",
                                                           "allocatable"};
constexpr std::array<std::string_view, 5> kLimitRangeMaps = {"default", "defaultRequest", "max",
                                                             "maxLimitRequestRatio", "min"};
constexpr std::array<std::string_view, 3> kQuantities = {"averageValue", "divisor", "sizeLimit"};
constexpr std::array<std::string_view, 10> kFreeMaps = {
    "annotations",  "binaryData", "data",     "labels",     "matchLabels",
    "nodeSelector", "parameters", "selector", "stringData", "volumeAttributes"};
constexpr std::array<std::string_view, 6> kMarkers = {
    "emptyDir", "labelSelector", "namespaceSelector", "objectSelector", "podSelector", "selector"};
constexpr std::array<std::string_view, 5> kMeaningfulEmpty = {
    "ingressClassName", "loadBalancerClass", "storageClassName", "volumeAttributesClassName",
    "volumeName"};
constexpr std::array<std::string_view, 12> kOmittedZeros = {"hostIPC",
                                                            "hostNetwork",
                                                            "hostPID",
                                                            "hostPort",
                                                            "initialDelaySeconds",
                                                            "minReadySeconds",
                                                            "paused",
                                                            "publishNotReadyAddresses",
                                                            "readOnly",
                                                            "stdin",
                                                            "stdinOnce",
                                                            "tty"};
constexpr std::array<std::string_view, 5> kAtomicLists = {"envFrom", "items", "matchExpressions",
                                                          "matchFields", "subjects"};

}  // namespace

bool IsQuantityField(const FieldPlace& place) {
  return IsRoundedToMilli(place) || Contains(kQuantityMaps, place.parent) ||
         Contains(kLimitRangeMaps, place.parent) || Contains(kQuantities, place.key);
}

bool IsRoundedToMilli(const FieldPlace& place) { return Contains(kResourceLists, place.parent); }

bool IsFreeMap(std::string_view key) { return Contains(kFreeMaps, key); }

bool IsIdentityField(const FieldPlace& place) {
  if (place.depth == 1) return place.key == "apiVersion" || place.key == "kind";
  return place.depth == 2 && place.parent == "metadata" &&
         (place.key == "uid" || place.key == "resourceVersion");
}

bool EmptyObjectMatters(std::string_view key) { return Contains(kMarkers, key); }

bool EmptyStringMatters(std::string_view key) { return Contains(kMeaningfulEmpty, key); }

bool ZeroMeansAbsent(std::string_view key) { return Contains(kOmittedZeros, key); }

bool IsAtomicList(std::string_view key) { return Contains(kAtomicLists, key); }

bool IsSet(std::string_view key) { return key == "finalizers"; }

}  // namespace xebec
