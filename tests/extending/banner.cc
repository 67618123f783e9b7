// SPDX-License-Identifier: Apache-2.0
#include "tests/extending/banner.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/core/child_state.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

DesiredState Desired(const View& view) {
  DesiredState state;
  SpecReader spec(view.parent);
  const std::string text = spec.String("text", "hello");
  if (spec.error().has_value()) {
    state.invalid = spec.error();
    return state;
  }
  const std::string name = absl::StrCat(view.name, "-banner");
  DesiredChild child;
  child.type = ConfigMapType();
  child.object = {{"metadata", {{"name", name}}}, {"data", {{"text", text}}}};
  const bool ready = IsAsDesired(CompareChild(view, child).state);
  state.children.push_back(std::move(child));
  state.status = {{"configMap", name}};
  state.conditions = {
      ready
          ? Condition{"Ready", "True", "ConfigMapReady", "The ConfigMap contains the text"}
          : Condition{"Ready", "False", "Applying", "The ConfigMap does not contain the text yet"}};
  return state;
}

KindDescription Describe() {
  KindDescription description;
  description.controller = "banners.demo.example.com";
  description.parent = {"demo.example.com", "v1alpha1", "Banner", "banners",
                        /*cluster_scoped=*/false};
  ChildRule config_maps;
  config_maps.type = ConfigMapType();
  config_maps.fields = {"data"};
  description.children.push_back(std::move(config_maps));
  return description;
}

}  // namespace

std::vector<Kind> BannerKinds() { return {{Describe(), Desired}}; }

}  // namespace xebec::planner
