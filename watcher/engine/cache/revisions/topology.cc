// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/topology.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

// What the watch of one resource shows, for all of its roles.
struct Needs {
  bool everything = false;  // all fields
  bool parents = false;     // those that are parents
  bool children = false;    // those that parents control
  bool all = false;         // whatever they belong to
  bool any_label = false;   // no common selector
  std::optional<std::string> selector;
  std::string parent_label;
  bool all_labels = false;  // whoever the parent is
  std::set<ResourceType> label_parents;
  std::set<std::string> fields;
  std::set<std::string> controller_kinds;  // of children
};

using NeedsByType = std::map<ResourceType, Needs>;

void AddFields(const std::vector<std::string>& fields, Needs* needs) {
  needs->everything |= fields.empty();
  needs->fields.insert(fields.begin(), fields.end());
}

void AddSelector(const std::string& selector, Needs* needs) {
  needs->any_label |=
      selector.empty() || (needs->selector.has_value() && *needs->selector != selector);
  needs->selector = selector;
}

void AddParent(const KindDescription& kind, NeedsByType* needs) {
  Needs& mine = (*needs)[kind.parent];
  AddFields(kind.parent_fields, &mine);
  AddSelector("", &mine);
  mine.parents = true;
  mine.all |= kind.declares;  // every watcher runs the declared controllers
}

void AddChild(const KindDescription& kind, const ChildRule& rule, bool owned, NeedsByType* needs) {
  Needs& mine = (*needs)[rule.type];
  AddFields(rule.fields, &mine);
  AddSelector(rule.label_selector, &mine);
  if (!rule.parent_label.empty()) {
    mine.parent_label = rule.parent_label;
    mine.all_labels |= rule.stateful;
    mine.label_parents.insert(kind.parent);
  }
  (owned ? mine.children : mine.all) = true;
  if (owned)
    mine.controller_kinds.insert(absl::StrCat(ApiVersion(kind.parent), "/", kind.parent.kind));
}

bool LabelFits(const ChildRule& rule, const NeedsByType& needs) {
  const auto found = needs.find(rule.type);
  return rule.parent_label.empty() || found == needs.end() || found->second.parent_label.empty() ||
         found->second.parent_label == rule.parent_label;
}

ResourceSpec SpecOf(const ResourceType& type, const Needs& needs) {
  ResourceSpec spec;
  spec.type = type;
  if (!needs.any_label) spec.label_selector = needs.selector.value_or("");
  spec.projection.parent_label = needs.parent_label;
  if (!needs.everything) spec.projection.fields.assign(needs.fields.begin(), needs.fields.end());
  if (!needs.all) {
    spec.projection.keep.parents = needs.parents;
    spec.projection.keep.children = needs.children;
    spec.projection.keep.labels = !needs.parent_label.empty() && !needs.all_labels;
  }
  const bool whole = needs.all || needs.parents;
  (whole ? spec.projection.managed_kinds : spec.projection.controller_kinds)
      .assign(needs.controller_kinds.begin(), needs.controller_kinds.end());
  return spec;
}

// Decides which controllers there are, in the order of the descriptions and their kinds.
class Registrar {
 public:
  Registrar(const Options& options, Topology* topology) : options_(options), topology_(topology) {}

  void Register(const KindDescription& kind, bool planned) {
    if (!Allowed(kind)) return;
    const std::string refusal = Refusal(kind, planned);
    if (!refusal.empty()) return Refuse(kind, refusal);
    if (planned) {
      owners_[ResourceName(kind.parent)] = kind.controller;
      names_.insert(kind.controller);
      topology_->controllers.push_back(kind);
    }
    AddNeeds(kind);
  }

  void Register(const DeclaredKind& declared) {
    const KindDescription& kind = declared.kind;
    const std::string refusal = RefusalOfDeclared(declared);
    if (!refusal.empty()) return Refuse(kind, refusal);
    names_.insert(kind.controller);
    if (declared.status) status_writers_[ResourceName(kind.parent)] = kind.controller;
    topology_->controllers.push_back(kind);
    topology_->declared[kind.controller] = declared;
    AddNeeds(kind);
  }

  void Finish() {
    for (const auto& [type, needs] : needs_) {
      ResourceSpec spec = SpecOf(type, needs);
      if (!needs.label_parents.empty()) topology_->label_parents[type] = needs.label_parents;
      const bool all = type.cluster_scoped || options_.namespaces.empty();
      for (const std::string& ns : all ? everywhere_ : options_.namespaces) {
        spec.ns = ns;
        topology_->resources.push_back(spec);
      }
    }
    std::sort(topology_->controllers.begin(), topology_->controllers.end(),
              [](const auto& a, const auto& b) { return a.controller < b.controller; });
  }

 private:
  void AddNeeds(const KindDescription& kind) {
    AddParent(kind, &needs_);
    for (const ChildRule& rule : kind.children) AddChild(kind, rule, /*owned=*/true, &needs_);
    for (const ChildRule& rule : kind.related) AddChild(kind, rule, /*owned=*/false, &needs_);
  }

  void Refuse(const KindDescription& kind, const std::string& why) {
    topology_->refusals.push_back(
        absl::StrCat("controller ", kind.controller, " is refused: ", why));
    topology_->refused[kind.controller] = why;
  }

  static bool Lists(const std::vector<std::string>& names, const ResourceType& type) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             return name == "*" || name == ResourceName(type);
           });
  }

  std::string RefusalOfDeclared(const DeclaredKind& declared) const {
    const KindDescription& kind = declared.kind;
    const std::string parent = ResourceName(kind.parent);
    if (names_.contains(kind.controller)) {
      return "a controller of that name is built in; give the Operator another name";
    }
    if (declared.leaving) return "";  // whatever has changed since it was accepted
    if (const auto owner = owners_.find(parent); owner != owners_.end()) {
      return absl::StrCat(parent, " is planned by the built-in controller ", owner->second,
                          "; turn off that kind in the watcher's configuration");
    }
    if (const auto other = status_writers_.find(parent);
        declared.status && other != status_writers_.end()) {
      return absl::StrCat("the operator ", other->second, " writes the status of ", parent,
                          " already; set spec.status to false in one of them");
    }
    if (!Lists(options_.hook_parents, kind.parent)) {
      return absl::StrCat(parent,
                          " is not among the parents that this installation allows; add it "
                          "to hooks.parents in the chart's values");
    }
    for (const ChildRule& rule : kind.children) {
      if (Lists(options_.hook_children, rule.type)) continue;
      return absl::StrCat(ResourceName(rule.type),
                          " is not among the children that this "
                          "installation allows; add it to hooks.children in the chart's values");
    }
    return RefusalOfLabels(kind);
  }

  bool Allowed(const KindDescription& kind) const {
    if (kind.declares) return options_.hooks;
    const auto& allowed = options_.allowed_kinds;
    return allowed.empty() ||
           std::find(allowed.begin(), allowed.end(), ResourceName(kind.parent)) != allowed.end();
  }

  std::string Refusal(const KindDescription& kind, bool planned) const {
    const std::string parent = ResourceName(kind.parent);
    if (planned && names_.contains(kind.controller)) {
      return "a controller of that name is registered already; give it another name";
    }
    if (const auto owner = owners_.find(parent); planned && owner != owners_.end()) {
      return absl::StrCat(parent, " is planned by controller ", owner->second,
                          " already; one parent resource has one controller");
    }
    return RefusalOfLabels(kind);
  }

  std::string RefusalOfLabels(const KindDescription& kind) const {
    for (const auto* rules : {&kind.children, &kind.related}) {
      for (const ChildRule& rule : *rules) {
        if (LabelFits(rule, needs_)) continue;
        return absl::StrCat(ResourceName(rule.type),
                            " is found by another parent label already; use the same label");
      }
    }
    return "";
  }

  const std::vector<std::string> everywhere_ = {""};
  const Options& options_;
  Topology* topology_;
  NeedsByType needs_;
  std::map<std::string, std::string> owners_;          // by parent resource
  std::map<std::string, std::string> status_writers_;  // declared ones, by parent resource
  std::set<std::string> names_;
};

}  // namespace

Topology BuildTopology(const std::vector<const PlannerDescription*>& descriptions,
                       const Options& options, const std::vector<DeclaredKind>& declared) {
  Topology topology;
  Registrar registrar(options, &topology);
  bool planned = true;
  for (const PlannerDescription* description : descriptions) {
    for (const KindDescription& kind : description->kinds) registrar.Register(kind, planned);
    planned = false;
  }
  for (const DeclaredKind& kind : declared) registrar.Register(kind);
  registrar.Finish();
  return topology;
}

}  // namespace xebec::watcher
