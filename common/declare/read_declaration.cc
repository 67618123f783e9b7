// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/declare/declaration.h"
#include "common/declare/hook_fields.h"
#include "common/declare/spec_fields.h"
#include "common/model/label_selector.h"
#include "common/model/names.h"

namespace xebec {
namespace {

constexpr size_t kMaxName = 100;  // it is a field manager

DeclaredResource ReadResource(const SpecFields& fields) {
  DeclaredResource resource;
  resource.group = fields.String("group");
  resource.version = fields.String("version");
  resource.plural = fields.String("resource");
  if (!resource.group.empty() && !IsDns1123Subdomain(resource.group)) {
    fields.Fail("group", "must be an API group, for example \"apps\"");
  }
  if (!IsDns1123Label(resource.version)) {
    fields.Fail("version", "must be a version, for example \"v1\"");
  }
  if (!IsDns1123Subdomain(resource.plural)) {
    fields.Fail("resource", "must be the plural name of a resource, for example \"deployments\"");
  }
  if (IsSecrets(resource.group, resource.plural)) {
    fields.Fail("resource", "is secrets, which no operator may read or write");
  }
  return resource;
}

void RefuseForbidden(const SpecFields& fields, const DeclaredResource& resource) {
  const std::string why = WhyForbidden(resource.group);
  if (!why.empty()) fields.Fail("resource", why);
}

bool SameResource(const DeclaredResource& a, const DeclaredResource& b) {
  return a.group == b.group && a.plural == b.plural;
}

void CheckRule(const SpecFields& fields, const DeclaredRule& rule) {
  const auto selector = LabelSelector::Parse(rule.label_selector);
  if (!selector.ok()) fields.Fail("labelSelector", ToStd(selector.status().message()));
  if (rule.stateful && !rule.parent_label.empty()) {
    fields.Fail("stateful", "must be false with parentLabel: Xebec does not write these objects");
  }
}

std::vector<DeclaredRule> ReadRules(const std::vector<SpecFields>& list) {
  std::vector<DeclaredRule> rules;
  for (const SpecFields& fields : list) {
    DeclaredRule& rule = rules.emplace_back();
    rule.resource = ReadResource(fields);
    rule.label_selector = fields.String("labelSelector");
    rule.parent_label = fields.String("parentLabel");
    rule.fields = fields.Strings("fields");
    rule.stateful = fields.Bool("stateful", false);
    CheckRule(fields, rule);
    const bool twice = std::count_if(rules.begin(), rules.end(), [&](const DeclaredRule& each) {
                         return SameResource(each.resource, rule.resource);
                       }) > 1;
    if (twice) fields.Fail("", "names a resource that is already in the list");
  }
  return rules;
}

void ReadChildren(const std::vector<SpecFields>& list, Declaration* out) {
  out->children = ReadRules(list);
  for (size_t i = 0; i < list.size(); ++i) {
    const DeclaredResource& child = out->children[i].resource;
    RefuseForbidden(list[i], child);
    if (!SameResource(child, out->parent)) continue;
    list[i].Fail("", "is the resource of the parents: a parent cannot be its own child");
  }
}

void ReadMetadata(const Json& object, Declaration* out) {
  out->name = FindString(object, {"metadata", "name"});
  out->uid = FindString(object, {"metadata", "uid"});
  out->generation = FindInt(object, {"metadata", "generation"}).value_or(0);
  out->deleting = !FindString(object, {"metadata", "deletionTimestamp"}).empty();
}

}  // namespace

absl::StatusOr<Declaration> ReadDeclaration(const Json& object) {
  Declaration out;
  std::string error;
  ReadMetadata(object, &out);
  const SpecFields spec(Find(object, {"spec"}), "spec", &error);
  const SpecFields parent = spec.Object("parent");
  out.parent = ReadResource(parent);
  RefuseForbidden(parent, out.parent);
  const std::string wrong_parent = error;
  if (!out.deleting) ReadChildren(spec.Objects("children"), &out);
  if (!out.deleting) out.related = ReadRules(spec.Objects("related"));
  out.finalizer = spec.Bool("finalizer", false);
  out.status = spec.Bool("status", true);
  ReadHook(spec.Object("hook"), &out);
  out.resync = spec.Span("resync", absl::Seconds(1), absl::Hours(24));
  out.paused = spec.Bool("paused", false);
  out.configuration = spec.Text("configuration");
  if (out.name.size() > kMaxName && error.empty()) {
    error = absl::StrCat("metadata.name must have at most ", kMaxName, " characters");
  }
  if (out.deleting) error = wrong_parent;  // the parents are released, whatever else is wrong
  if (!error.empty()) return absl::InvalidArgumentError(error);
  return out;
}

}  // namespace xebec
