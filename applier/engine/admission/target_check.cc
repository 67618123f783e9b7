// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/target_check.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"

namespace xebec::applier {
namespace {

bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlnum(char c) { return IsLowerAlnum(c) || (c >= 'A' && c <= 'Z'); }

/// A segment of a URL path, as Kubernetes' path validation knows it: RBAC objects have names like
/// "system:node".
bool IsPathSegment(std::string_view name) {
  if (name.empty() || name.size() > kMaxObjectName || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '/' && c != '%' && c != '?' && c != '#' && c != '\\';
  });
}

bool IsPlural(std::string_view plural) {
  return !plural.empty() && plural.size() <= kMaxLabel &&
         std::all_of(plural.begin(), plural.end(),
                     [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsWord(std::string_view word) {
  return !word.empty() && word.size() <= kMaxLabel &&
         std::all_of(word.begin(), word.end(), IsAlnum);
}

Refusal Malformed(const ObjectRef& target, std::string_view what) {
  return {"MalformedTarget", absl::StrCat(Ellipsize(Describe(target), 300), ": ", ToAbsl(what))};
}

}  // namespace

std::optional<Refusal> CheckTarget(const ObjectRef& target) {
  const ResourceType& type = target.type;
  if (!type.group.empty() && !IsDns1123Subdomain(type.group)) {
    return Malformed(target, "its API group is no DNS name");
  }
  if (!IsWord(type.version)) return Malformed(target, "its API version is empty or malformed");
  if (!IsWord(type.kind)) return Malformed(target, "its kind is empty or malformed");
  if (!IsPlural(type.plural)) {
    return Malformed(target, "its plural is empty or malformed (no subresource may be named)");
  }
  if (!IsPathSegment(target.name)) return Malformed(target, "its name is empty or malformed");
  if (type.cluster_scoped != target.ns.empty()) {
    return Malformed(target, type.cluster_scoped ? "a cluster-scoped object has no namespace"
                                                 : "a namespaced object needs a namespace");
  }
  if (!target.ns.empty() && !IsDns1123Label(target.ns)) {
    return Malformed(target, "its namespace is malformed");
  }
  return std::nullopt;
}

std::optional<Refusal> CheckBodyIsTargets(const Json& body, const ObjectRef& target) {
  const auto differs = [&](std::initializer_list<std::string_view> path, const std::string& want,
                           bool may_be_absent) -> std::optional<Refusal> {
    const std::string got = FindString(body, path);
    if (got == want || (may_be_absent && got.empty())) return std::nullopt;
    return Refusal{"BodyNotTarget",
                   absl::StrCat(Describe(target), ": its body says ", ToAbsl(*(path.end() - 1)),
                                " \"", Ellipsize(got, 100), "\" instead of \"", want, "\"")};
  };
  if (auto r = differs({"apiVersion"}, ApiVersion(target.type), false)) return r;
  if (auto r = differs({"kind"}, target.type.kind, false)) return r;
  if (auto r = differs({"metadata", "name"}, target.name, false)) return r;
  return differs({"metadata", "namespace"}, target.ns, true);
}

std::optional<Refusal> CheckOwner(const Json& body, const ParentIdentity& parent) {
  const Json* owners = Find(body, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return std::nullopt;
  for (const Json& owner : *owners) {
    if (!FindBool(owner, {"controller"}).value_or(false)) continue;
    if (FindString(owner, {"uid"}) == parent.uid) continue;
    return Refusal{"ForeignOwner",
                   absl::StrCat("the plan of ", Describe(parent.ref), " names another controller, ",
                                FindString(owner, {"kind"}), " ", FindString(owner, {"name"}))};
  }
  return std::nullopt;
}

std::optional<Refusal> CheckFinalizer(const std::string& finalizer) {
  const size_t slash = finalizer.find('/');
  const std::string domain = finalizer.substr(0, slash);
  const bool named = slash != std::string::npos && slash + 1 < finalizer.size() &&
                     finalizer.size() <= kMaxObjectName + 1 + kMaxLabel &&
                     IsDns1123Subdomain(domain);
  if (!named) {
    return Refusal{"FinalizerNotOurs", absl::StrCat("finalizer \"", Ellipsize(finalizer, 100),
                                                    "\" is not of the form domain/name")};
  }
  const std::string_view d = domain;
  if (d == "kubernetes.io" || d.ends_with(".kubernetes.io") || d == "k8s.io" ||
      d.ends_with(".k8s.io")) {
    return Refusal{"FinalizerNotOurs",
                   absl::StrCat("finalizer \"", finalizer, "\" belongs to Kubernetes itself")};
  }
  return std::nullopt;
}

}  // namespace xebec::applier
