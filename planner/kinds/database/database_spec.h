// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/model/quantity.h"

namespace xebec::planner {

/// The spec of a Database, including defaults.
struct DatabaseSpec {
  /// spec.name, the name of the database; the default is the name of the object.
  std::string database;
  std::string image;  ///< Required.
  int64_t port = 5432;
  int64_t replicas = 1;
  std::string storage = "1Gi";  ///< spec.storage-size, unchanged.
  Quantity storage_bytes;
  std::string mount_path = "/var/lib/postgresql/data";
  std::string port_variable = "PGPORT";
  std::string database_variable = "POSTGRES_DB";
  std::string password_variable = "POSTGRES_PASSWORD";
  Json env = Json::array();  ///< The user's variables, which override the variables above.
  Json resources = Json::object();
  std::string storage_class;  ///< Empty means the default class of the cluster.
  /// The name of an existing Secret; empty means that Xebec generates one.
  std::string password_secret;
  /// Fields of the Pods (replicas and init Job) by their Kubernetes names: securityContext,
  /// affinity, tolerations, nodeSelector, imagePullSecrets. Absent fields are omitted.
  Json pod = Json::object();
  Json container_security = Json::object();  ///< securityContext of the containers.
  bool skip_init = false;
  std::string init_image;                 ///< Default: image.
  std::vector<std::string> init_command;  ///< Default: the script in the ConfigMap.
  Json init_resources = Json::object();   ///< Default: resources.
  int64_t init_deadline = 3600;           ///< Seconds.
};

/// Reads the spec of `parent`. `error` receives the first error ("spec.port must be ..."); invalid
/// fields have their defaults.
DatabaseSpec ReadDatabaseSpec(const Json& parent, std::optional<std::string>* error);

}  // namespace xebec::planner
