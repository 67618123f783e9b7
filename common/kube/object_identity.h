// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/kube/json_cursor.h"
#include "common/kube/watch_event.h"

/// What decides whether a projection keeps an object. Internal to common/kube.
namespace xebec::kube::internal {

/// Returns true if the controller is of one of these "apiVersion/Kind" pairs, in any version.
bool IsOneOf(const ControllerReference& controller, const std::vector<std::string>& kinds);

/// Sets header->controlled. Returns true if the projection keeps the JSON of such an object.
bool Wants(const Projection& projection, ObjectHeader* header);

/// Reads what Wants needs and what names the object: name, namespace, uid, resourceVersion, the
/// controller and the parent label. It reads nothing else, because most objects of a cluster belong
/// to other watchers or to no parent. `where` names the member with an error.
simdjson::error_code ReadIdentity(od::object metadata, const Projection& projection,
                                  ObjectHeader* header, const char** where);

}  // namespace xebec::kube::internal
