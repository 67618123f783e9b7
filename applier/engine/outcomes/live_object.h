// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "applier/engine/requests/run_context.h"
#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"

/// The facts that an operation reads from live objects and from objects in answers.
namespace xebec::applier {

/// The parts of an object that decisions depend on.
struct LiveObject {
  std::string uid;
  std::string resource_version;
  bool deleting = false;  ///< It has a deletionTimestamp.
  Json json;              ///< The whole object.
};

/// Reads the body of a 2xx answer. Returns nullopt if the body is not an object with a uid, for
/// example a Status.
std::optional<LiveObject> ReadLiveObject(const std::string& body);

/// True when `live` is the object that `desired` means: its controller reference names
/// the context's parent; or it has no controller, `desired` (which outlives its parent) wants none,
/// the context's manager wrote it before, and one of the labels has the parent's name.
bool IsOurs(const Json& live, const Json& desired, const RunContext& context);

/// Returns true if the parent owns the object, so that it may be deleted, or changed without a
/// controller reference in the body. One of these is true: its controller is the parent; it has one
/// of the context's labels with the parent's name (LabelValue) and no controller of the parent's
/// own kind (owned indirectly); or it has no controller and the manager wrote it before.
bool MayTouch(const Json& live, const RunContext& context);

/// Returns the owner reference with controller: true, or null.
const Json* Controller(const Json& object);

/// Returns the uid in that reference; empty if there is none.
std::string ControllerUid(const Json& object);

/// Returns a message for users: which object has the name, and how to hand it over to `parent`.
std::string DescribeHolder(const ObjectRef& target, const Json& live, const ParentIdentity& parent);

/// Returns the position of `finalizer` in metadata.finalizers.
std::optional<size_t> FindFinalizer(const Json& live, const std::string& finalizer);

/// Returns true if the object is being deleted and has no finalizer: it is gone.
bool IsGone(const LiveObject& object);

}  // namespace xebec::applier
