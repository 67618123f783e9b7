// SPDX-License-Identifier: Apache-2.0
#include "common/model/resource.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace xebec {

std::string ApiVersion(const ResourceType& type) {
  return type.group.empty() ? type.version : absl::StrCat(type.group, "/", type.version);
}

std::string Describe(const ObjectRef& ref) {
  return absl::StrCat(ref.type.kind, " ", ref.ns, ref.ns.empty() ? "" : "/", ref.name);
}

std::string ResourceName(const ResourceType& type) {
  const std::string name = type.plural.empty() ? absl::AsciiStrToLower(type.kind) : type.plural;
  return type.group.empty() ? name : absl::StrCat(name, ".", type.group);
}

}  // namespace xebec
