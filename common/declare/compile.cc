// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/declare/declaration.h"
#include "common/model/names.h"

namespace xebec {
namespace {

bool Names(const DeclaredResource& named, const ResourceType& type) {
  const bool version = named.version.empty() || named.version == type.version;
  return version && named.group == type.group && named.plural == type.plural;
}

absl::Status Resolve(const DeclaredResource& named, const std::vector<ResourceType>& served,
                     ResourceType* out) {
  const ResourceType* found = FindServed(named, served);
  if (found == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the API server does not serve ", Describe(named)));
  }
  *out = *found;
  return absl::OkStatus();
}

absl::Status ResolveParent(const Declaration& declaration, const std::vector<ResourceType>& served,
                           ResourceType* out) {
  const auto any = AnyVersionOfParent(declaration);
  const bool exact = !any || FindServed(declaration.parent, served) != nullptr;
  return Resolve(exact ? declaration.parent : *any, served, out);
}

absl::Status AddRules(const std::vector<DeclaredRule>& rules,
                      const std::vector<ResourceType>& served, std::vector<ChildRule>* out) {
  for (const DeclaredRule& rule : rules) {
    ChildRule& each = out->emplace_back();
    XEBEC_RETURN_IF_ERROR(Resolve(rule.resource, served, &each.type));
    each.label_selector = rule.label_selector;
    each.parent_label = rule.parent_label;
    each.fields = rule.fields;
    each.stateful = rule.stateful;
  }
  return absl::OkStatus();
}

// An owner reference to a namespaced object is good only within its namespace.
absl::Status CheckScopes(const KindDescription& kind) {
  if (kind.parent.cluster_scoped) return absl::OkStatus();
  for (const ChildRule& child : kind.children) {
    if (!child.type.cluster_scoped) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(ResourceName(child.type), " is cluster-scoped and cannot be a child of ",
                     ResourceName(kind.parent), ", which is namespaced"));
  }
  return absl::OkStatus();
}

void AddOnce(const DeclaredResource& resource, std::vector<DeclaredResource>* out) {
  if (std::find(out->begin(), out->end(), resource) == out->end()) out->push_back(resource);
}

}  // namespace

std::string Describe(const DeclaredResource& resource) {
  return absl::StrCat(resource.plural, resource.group.empty() ? "" : ".", resource.group,
                      resource.version.empty() ? "" : "/", resource.version);
}

const ResourceType* FindServed(const DeclaredResource& named,
                               const std::vector<ResourceType>& served) {
  const auto found = std::find_if(served.begin(), served.end(),
                                  [&](const ResourceType& type) { return Names(named, type); });
  return found == served.end() ? nullptr : &*found;
}

std::vector<DeclaredResource> ResourcesOf(const Declaration& declaration) {
  std::vector<DeclaredResource> resources = {declaration.parent};
  for (const DeclaredRule& rule : declaration.children) AddOnce(rule.resource, &resources);
  for (const DeclaredRule& rule : declaration.related) AddOnce(rule.resource, &resources);
  return resources;
}

std::optional<DeclaredResource> AnyVersionOfParent(const Declaration& declaration) {
  const DeclaredResource& parent = declaration.parent;
  if (!declaration.deleting || parent.group.empty()) return std::nullopt;
  return DeclaredResource{parent.group, "", parent.plural, {}, ""};
}

std::string FinalizerOf(const Declaration& declaration) {
  return absl::StrCat("operators.xebec.dev/", BoundedName(declaration.name, kMaxLabel));
}

absl::StatusOr<KindDescription> Compile(const Declaration& declaration,
                                        const std::vector<ResourceType>& served) {
  KindDescription kind;
  kind.controller = declaration.name;
  XEBEC_RETURN_IF_ERROR(ResolveParent(declaration, served, &kind.parent));
  if (declaration.finalizer) kind.finalizer = FinalizerOf(declaration);
  if (declaration.deleting) return kind;
  XEBEC_RETURN_IF_ERROR(AddRules(declaration.children, served, &kind.children));
  XEBEC_RETURN_IF_ERROR(AddRules(declaration.related, served, &kind.related));
  XEBEC_RETURN_IF_ERROR(CheckScopes(kind));
  return kind;
}

}  // namespace xebec
