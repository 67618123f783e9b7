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
  bool skip_init = false;
  std::string init_image;                 ///< Default: image.
  std::vector<std::string> init_command;  ///< Default: the script in the ConfigMap.
};

/// Reads `parent`. `error` says the first thing that is wrong ("spec.port must be ..."); the rest
/// has its defaults then.
DatabaseSpec ReadDatabaseSpec(const Json& parent, std::optional<std::string>* error);

}  // namespace xebec::planner
