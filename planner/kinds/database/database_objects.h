// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/model/well_known.h"
#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Name of the claim template: claims are "data-<StatefulSet>-<ordinal>".
inline constexpr std::string_view kClaimTemplate = "data";
/// On an init Job: digest of the Pod template that it was made from.
inline constexpr std::string_view kInitDigestAnnotation = "xebec.dev/init-digest";
/// Key of the generated password in the Secret.
inline constexpr std::string_view kPasswordKey = "password";

/// The names of a Database's objects. The base is the Database's name where that can name a Service
/// and leaves room for what Kubernetes appends to a StatefulSet's (52 characters, no dots, a letter
/// first); else what it can keep of it and a digest.
struct DatabaseNames {
  std::string base;         ///< Service and StatefulSet.
  std::string config;       ///< ConfigMap.
  std::string credentials;  ///< Secret.
  std::string init;         ///< Job; another one for each uid of a Database.
  std::string host;         ///< DNS name of ordinal 0.
};

DatabaseNames NamesOf(const View& view);

/// "xebec.dev/database=<name>", which selects the database's Pods.
std::string PodSelector(const View& view);

DesiredChild DatabaseService(const View& view, const DatabaseSpec& spec);
/// host, port and database for clients, and the default init script.
DesiredChild DatabaseConfig(const View& view, const DatabaseSpec& spec);
/// Immutable fields have the values of `live` where it exists: the template of the claims keeps its
/// first size.
DesiredChild DatabaseStatefulSet(const View& view, const DatabaseSpec& spec, const Child* live);
/// The init Job. Its annotation kInitDigestAnnotation has the digest of its Pod template.
DesiredChild DatabaseInitJob(const View& view, const DatabaseSpec& spec);
DesiredSecret DatabaseCredentials(const View& view);

}  // namespace xebec::planner
