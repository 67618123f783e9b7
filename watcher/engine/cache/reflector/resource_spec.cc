// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/resource_spec.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

auto Fields(const ResourceSpec& s) {
  return std::tie(s.type, s.ns, s.label_selector, s.projection.fields, s.projection.parent_label,
                  s.projection.controller_kinds, s.projection.managed_kinds, s.projection.keep);
}

// "spec" covers "spec.replicas".
bool CoversField(const std::vector<std::string>& wide, const std::string& field) {
  return std::any_of(wide.begin(), wide.end(), [&](const std::string& each) {
    return field == each || (field.size() > each.size() && field[each.size()] == '.' &&
                             field.compare(0, each.size(), each) == 0);
  });
}

bool CoversFields(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) {
  if (wide.empty() || narrow.empty()) return wide.empty();
  return std::all_of(narrow.begin(), narrow.end(),
                     [&](const std::string& field) { return CoversField(wide, field); });
}

bool Contains(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) {
  return std::all_of(narrow.begin(), narrow.end(), [&](const std::string& kind) {
    return std::find(wide.begin(), wide.end(), kind) != wide.end();
  });
}

bool CoversKinds(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) {
  if (wide.empty() || narrow.empty()) return wide.empty();
  return Contains(wide, narrow);
}

}  // namespace

bool operator==(const ResourceSpec& a, const ResourceSpec& b) { return Fields(a) == Fields(b); }

std::string Describe(const ResourceSpec& spec) {
  const std::string where = spec.ns.empty() ? "" : " in namespace " + spec.ns;
  return ResourceName(spec.type) + where;
}

std::string StatementKey(const ResourceSpec& spec) {
  const std::string where = spec.ns.empty() ? "" : " " + spec.ns;
  return absl::StrCat(ApiVersion(spec.type), "/", spec.type.plural, where);
}

bool Covers(const ResourceSpec& wide, const ResourceSpec& narrow) {
  return CoversInBucket(wide, narrow) && wide.projection.keep.Covers(narrow.projection.keep);
}

bool CoversInBucket(const ResourceSpec& wide, const ResourceSpec& narrow) {
  const kube::Projection& has = wide.projection;
  const kube::Projection& wants = narrow.projection;
  const bool labels = wants.parent_label.empty() || wants.parent_label == has.parent_label;
  return (wide.label_selector.empty() || wide.label_selector == narrow.label_selector) && labels &&
         CoversFields(has.fields, wants.fields) &&
         CoversKinds(has.controller_kinds, wants.controller_kinds) &&
         Contains(ManagedKinds(has), ManagedKinds(wants)) && has.keep.CoversRoles(wants.keep);
}

}  // namespace xebec::watcher
