// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "applier/engine/run/run_context.h"
#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

/// What an operation learns from reading the live object, and from the objects in answers.
namespace xebec::applier {

/// The parts of an object that decisions need.
struct LiveObject {
  std::string uid;
  std::string resource_version;
  bool deleting = false;  ///< It has a deletionTimestamp.
  Json json;              ///< The whole object.
};

/// Reads the body of a 2xx answer; nullopt when it is not an object with a uid (a Status, or
/// something unreadable).
std::optional<LiveObject> ReadLiveObject(const std::string& body);

/// True when `live` is the object that `desired` means: its controller reference names
/// the context's parent; or it has no controller, `desired` (which outlives its parent) wants none,
/// the context's manager applied it before, and one of the labels has the parent's name.
bool IsOurs(const Json& live, const Json& desired, const RunContext& context);

/// What a live read must show before an object is deleted, or changed without a controller
/// reference in the body: it is the parent's by its controller reference; or, owned indirectly, it
/// has one of the context's labels with the parent's name (LabelValue) and no controller of the
/// parent's own kind; or it has no controller and the manager applied it before.
bool MayTouch(const Json& live, const RunContext& context);

/// True when `object` has an owner reference with controller: true.
bool HasController(const Json& object);

/// For people: who holds the name, and how it can be handed over to `parent`.
std::string DescribeHolder(const ObjectRef& target, const Json& live, const ParentIdentity& parent);

/// Position of `finalizer` in metadata.finalizers.
std::optional<size_t> FindFinalizer(const Json& live, const std::string& finalizer);

/// True when the object is being deleted and nothing holds it any more: it is gone.
bool IsGone(const LiveObject& object);

}  // namespace xebec::applier
