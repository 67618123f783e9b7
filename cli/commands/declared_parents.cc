// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/declared_parents.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands/api_resources.h"
#include "cli/text/objects.h"
#include "cli/text/plan_text.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/declare/declaration.h"

namespace xebec::cli {
namespace {

/// An Operator, as it is and decoded.
struct DeclaredController {
  ObjectBytes object;
  Declaration declaration;
};

bool IsOf(const Json& object, absl::string_view group, absl::string_view kind) {
  return FindString(object, {"kind"}) == kind &&
         absl::StartsWith(FindString(object, {"apiVersion"}), absl::StrCat(group, "/"));
}

std::string ApiVersionOf(const DeclaredResource& resource) {
  return ApiVersion({resource.group, resource.version, "", "", false});
}

class Files {
 public:
  absl::Status AddOperator(const ObjectBytes& bytes, const Json& object) {
    absl::StatusOr<Declaration> declaration = ReadDeclaration(object);
    if (!declaration.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("Operator ",
                                                     FindString(object, {"metadata", "name"}), ": ",
                                                     declaration.status().message()));
    }
    controllers_.push_back({bytes, *std::move(declaration)});
    return absl::OkStatus();
  }

  void AddDefinition(const Json& object) { resources_.AddDefinition(object); }

  /// Adds the Operator of the observation's parent to the observation.
  absl::Status Complete(Observation* observation) const {
    if (observation->declaration != nullptr) return absl::OkStatus();
    const Json parent = Parsed(observation->parent);
    XEBEC_ASSIGN_OR_RETURN(const DeclaredController* controller, Find(parent, *observation));
    observation->declaration = controller->object;
    for (const DeclaredResource& resource : ResourcesOf(controller->declaration)) {
      XEBEC_ASSIGN_OR_RETURN(ResourceType type, TypeOf(resource, controller->declaration, parent));
      observation->declared_resources.push_back(std::move(type));
    }
    return absl::OkStatus();
  }

 private:
  bool Declares(const Declaration& declaration, const Json& parent) const {
    const DeclaredResource& declared = declaration.parent;
    if (FindString(parent, {"apiVersion"}) != ApiVersionOf(declared)) return false;
    const std::string kind = FindString(parent, {"kind"});
    const ResourceType* known = resources_.Find(declared);
    return known != nullptr ? known->kind == kind : IsPluralOf(declared.plural, kind);
  }

  absl::StatusOr<const DeclaredController*> Find(const Json& parent,
                                                 const Observation& observation) const {
    const DeclaredController* found = nullptr;
    for (const DeclaredController& each : controllers_) {
      if (!Declares(each.declaration, parent)) continue;
      if (found != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            ParentOf(observation), " is declared by the Operators ", found->declaration.name,
            " and ", each.declaration.name, ": pass only that of the hook with --filename"));
      }
      found = &each;
    }
    if (found != nullptr) return found;
    return absl::InvalidArgumentError(
        absl::StrCat("no Operator in the files declares ", ParentOf(observation),
                     ": pass the manifest of the Operator, and the CustomResourceDefinition if its "
                     "plural is irregular, with --filename"));
  }

  absl::StatusOr<ResourceType> TypeOf(const DeclaredResource& resource,
                                      const Declaration& declaration, const Json& parent) const {
    if (const ResourceType* known = resources_.Find(resource)) return *known;
    if (resource == declaration.parent) {
      return ResourceType{resource.group, resource.version, FindString(parent, {"kind"}),
                          resource.plural, false};
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the kind of ", Describe(resource),
                     " is not known: pass its CustomResourceDefinition with --filename"));
  }

  std::vector<DeclaredController> controllers_;
  ApiResources resources_;
};

}  // namespace

absl::StatusOr<std::vector<Observation>> WithOperators(std::vector<Observation> documents) {
  Files files;
  std::vector<Observation> parents;
  for (Observation& document : documents) {
    const Json object = Parsed(document.parent);
    if (document.declaration == nullptr &&
        IsOf(object, ToAbsl(kOperatorGroup), ToAbsl(kOperatorKind))) {
      XEBEC_RETURN_IF_ERROR(files.AddOperator(document.parent, object));
    } else if (IsOf(object, "apiextensions.k8s.io", "CustomResourceDefinition")) {
      files.AddDefinition(object);
    } else {
      parents.push_back(std::move(document));
    }
  }
  if (parents.empty()) return absl::InvalidArgumentError("the files have no parent");
  for (Observation& parent : parents) XEBEC_RETURN_IF_ERROR(files.Complete(&parent));
  return parents;
}

}  // namespace xebec::cli
