// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/model/well_known.h"
#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// The name of the claim template. Claims are named "data-<StatefulSet>-<ordinal>".
inline constexpr std::string_view kClaimTemplate = "data";
/// Annotation of an init Job: the digest of its Pod template.
inline constexpr std::string_view kInitDigestAnnotation = "xebec.dev/init-digest";
/// The key of the generated password in the Secret.
inline constexpr std::string_view kPasswordKey = "password";

/// The names of a Database's objects. The base is the Database's name if it is a valid name of a
/// Service and short enough for a StatefulSet (at most 52 characters, no dots, starts with a
/// letter). Otherwise the base is derived from the name and contains a digest.
struct DatabaseNames {
  std::string base;         ///< Service and StatefulSet.
  std::string config;       ///< ConfigMap.
  std::string credentials;  ///< Secret.
  std::string init;         ///< The Job. Its name depends on the uid of the Database.
  std::string host;         ///< DNS name of ordinal 0.
};

DatabaseNames NamesOf(const View& view);

/// Returns "xebec.dev/database=<name>", the selector of the Database's Pods.
std::string PodSelector(const View& view);

DesiredChild DatabaseService(const View& view, const DatabaseSpec& spec);
/// Returns the ConfigMap: host, port and database for clients, and the default init script.
DesiredChild DatabaseConfig(const View& view, const DatabaseSpec& spec);
/// Returns the StatefulSet. Immutable fields have the values of `live` if it exists; the claim
/// template keeps its first size.
DesiredChild DatabaseStatefulSet(const View& view, const DatabaseSpec& spec, const Child* live);
/// Returns the init Job. Its annotation kInitDigestAnnotation has the digest of its Pod template.
DesiredChild DatabaseInitJob(const View& view, const DatabaseSpec& spec);
DesiredSecret DatabaseCredentials(const View& view);

}  // namespace xebec::planner
