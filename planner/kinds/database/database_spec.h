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

/// The spec of a Database with its defaults filled in.
struct DatabaseSpec {
  std::string database;  ///< spec.name: of the database to make; default: the object's name.
  std::string image;     ///< Required.
  int64_t port = 5432;
  int64_t replicas = 1;
  std::string storage = "1Gi";  ///< spec.storage-size, as the user wrote it.
  Quantity storage_bytes;
  std::string mount_path = "/var/lib/postgresql/data";
  std::string port_variable = "PGPORT";
  std::string database_variable = "POSTGRES_DB";
  std::string password_variable = "POSTGRES_PASSWORD";
  Json env = Json::array();  ///< The user's; wins over a variable of the same name above.
  Json resources = Json::object();
  std::string storage_class;    ///< Empty: the default class of the cluster.
  std::string password_secret;  ///< An existing Secret; empty: one is generated.
  /// Fields of the Pods (replicas and init Job) by their Kubernetes names: securityContext,
  /// affinity, tolerations, nodeSelector, imagePullSecrets. Those that are absent are left out.
  Json pod = Json::object();
  Json container_security = Json::object();  ///< securityContext of the containers.
  bool skip_init = false;
  std::string init_image;                 ///< Default: image.
  std::vector<std::string> init_command;  ///< Default: the script in the ConfigMap.
  Json init_resources = Json::object();   ///< Default: resources.
  int64_t init_deadline = 3600;           ///< Seconds.
};

/// Reads `parent`. `error` receives the first error ("spec.port must be ..."); fields with an error
/// have their defaults.
DatabaseSpec ReadDatabaseSpec(const Json& parent, std::optional<std::string>* error);

}  // namespace xebec::planner
