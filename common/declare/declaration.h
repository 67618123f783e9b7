// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/json.h"
#include "common/declare/forbidden.h"
#include "common/model/hook.h"
#include "common/model/kind_description.h"

/// Controllers that users declare with an object of kind Operator (xebec.dev/v1alpha1). The watcher
/// and the planner read the same object with the same functions, so they agree without a message.
/// Pure.
namespace xebec {

inline constexpr std::string_view kOperatorKind = "Operator";

/// A kind of children or of related objects.
struct DeclaredRule {
  DeclaredResource resource;
  std::string label_selector, parent_label;
  std::vector<std::string> fields;
  bool stateful = false;

  bool operator==(const DeclaredRule&) const = default;
};

/// The content of an Operator. The CRD documents the fields.
struct Declaration {
  std::string name;  ///< Of the Operator: also the name of the controller and field manager.
  std::string uid;
  int64_t generation = 0;
  bool deleting = false;  ///< The Operator is being deleted: its finalizers are removed.
  DeclaredResource parent;
  std::vector<DeclaredRule> children, related;
  bool finalizer = false;
  bool status = true;  ///< The controller writes the status of its parents.
  HookEndpoint hook;
  absl::Duration timeout = absl::Seconds(10);
  bool clock = false;  ///< Requests contain the time.
  std::optional<absl::Duration> resync;
  bool paused = false;
  std::string configuration;  ///< JSON object; empty without.

  bool operator==(const Declaration&) const = default;
};

/// Reads an Operator. Returns INVALID_ARGUMENT with the field and what to do, for users:
/// "spec.hook.address must be ...". Of an Operator that is being deleted, only the parent must be
/// valid, and the children and related objects are not read.
absl::StatusOr<Declaration> ReadDeclaration(const Json& object);

/// Returns the resources that a declaration names, each once, the parent first.
std::vector<DeclaredResource> ResourcesOf(const Declaration& declaration);

/// Returns the parents in any version, with an empty version, if the declaration is being deleted:
/// every version serves to remove a finalizer. nullopt otherwise, and for the core group, which has
/// one version.
std::optional<DeclaredResource> AnyVersionOfParent(const Declaration& declaration);

/// Returns the controller. It has no children and no related objects if the declaration is being
/// deleted. `served` contains the resources as the API server serves them. Returns
/// FAILED_PRECONDITION naming the first resource that is missing in `served`, and INVALID_ARGUMENT
/// if the resources do not fit together.
absl::StatusOr<KindDescription> Compile(const Declaration& declaration,
                                        const std::vector<ResourceType>& served);

/// Returns the name of the finalizer that the controller of a declaration sets on its parents.
std::string FinalizerOf(const Declaration& declaration);

/// Returns the resource in `served` that a declaration names; null if it is missing. An empty
/// version means any version.
const ResourceType* FindServed(const DeclaredResource& named,
                               const std::vector<ResourceType>& served);

/// Returns "deployments.apps/v1" for users; "deployments.apps" for any version.
std::string Describe(const DeclaredResource& resource);

}  // namespace xebec
