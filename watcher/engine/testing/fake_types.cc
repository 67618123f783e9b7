// SPDX-License-Identifier: Apache-2.0
// The kinds of the tests.
#include "watcher/engine/testing/fake_cluster.h"

namespace xebec::watcher::testing {

ResourceType WidgetType() {
  return {.group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
}

ResourceType PartType() {
  return {.group = "", .version = "v1", .kind = "Part", .plural = "parts"};
}

ResourceType ScrapType() {
  return {.group = "", .version = "v1", .kind = "Scrap", .plural = "scraps"};
}

PlannerDescription LeavingWidgetDescription() {
  PlannerDescription description = WidgetDescription();
  description.kinds[0].finalizer = kWidgetFinalizer;
  ChildRule rule;
  rule.type = ScrapType();
  rule.parent_label = kWidgetLabel;
  description.kinds[0].children.push_back(rule);
  return description;
}

PlannerDescription WidgetDescription(const std::string& revision) {
  KindDescription kind;
  kind.controller = "widget.example.com";
  kind.parent = WidgetType();
  ChildRule rule;
  rule.type = PartType();
  kind.children.push_back(rule);
  return {revision, {kind}};
}

}  // namespace xebec::watcher::testing
