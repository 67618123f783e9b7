// SPDX-License-Identifier: Apache-2.0
#include "common/kube/yaml_json.h"

#include <cstdint>
#include <string>

namespace xebec::kube::internal {
namespace {

Json ScalarToJson(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return text;  // quoted, !!str
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  int64_t integer = 0;
  if (YAML::convert<int64_t>::decode(node, integer)) return integer;
  double number = 0;
  if (YAML::convert<double>::decode(node, number)) return number;
  return text;
}

}  // namespace

Json YamlToJson(const YAML::Node& node, int depth) {
  if (!node.IsDefined() || node.IsNull() || depth > kMaxYamlDepth) return nullptr;
  if (node.IsScalar()) return ScalarToJson(node);
  if (node.IsSequence()) {
    Json array = Json::array();
    for (const YAML::Node& element : node) array.push_back(YamlToJson(element, depth + 1));
    return array;
  }
  Json object = Json::object();
  for (const auto& member : node) {
    object[member.first.Scalar()] = YamlToJson(member.second, depth + 1);
  }
  return object;
}

}  // namespace xebec::kube::internal
