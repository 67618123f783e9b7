// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/database_spec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

constexpr int64_t kMaxReplicas = 1000;
constexpr size_t kMaxDatabaseName = 64;
constexpr int64_t kMaxDeadline = 7 * 24 * 3600;

bool IsVariableName(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name.front()))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
}

std::string ReadVariable(SpecReader* spec, std::string_view field, const std::string& fallback) {
  std::string name = spec->String(field, fallback, 256);
  if (IsVariableName(name)) return name;
  spec->Fail(field,
             absl::StrCat("must be the name of an environment variable, not \"", name, "\""));
  return fallback;
}

void ReadVariables(SpecReader* spec, DatabaseSpec* out) {
  out->port_variable = ReadVariable(spec, "portVariable", out->port_variable);
  out->database_variable = ReadVariable(spec, "databaseVariable", out->database_variable);
  out->password_variable = ReadVariable(spec, "passwordVariable", out->password_variable);
  const auto clash = [&](std::string_view field, const std::string& name,
                         const std::string& other) {
    if (name != other) return;
    spec->Fail(field,
               absl::StrCat("must differ from the other two variables, not be \"", name, "\" too"));
  };
  clash("databaseVariable", out->database_variable, out->port_variable);
  clash("passwordVariable", out->password_variable, out->port_variable);
  clash("passwordVariable", out->password_variable, out->database_variable);
}

void ReadStorage(SpecReader* spec, DatabaseSpec* out) {
  out->storage_bytes = *Quantity::Parse(out->storage);
  const std::string text = spec->String("storage-size", out->storage, 64);
  const absl::StatusOr<Quantity> size = Quantity::Parse(text);
  if (!size.ok()) {
    spec->Fail("storage-size",
               absl::StrCat("must be a quantity such as 50G or 1.5Ti, not \"", text, "\""));
  } else if (size->IsZero() || size->IsNegative()) {
    spec->Fail("storage-size", absl::StrCat("must be more than nothing, not \"", text, "\""));
  } else {
    out->storage = text;
    out->storage_bytes = *size;
  }
}

void ReadMountPath(SpecReader* spec, DatabaseSpec* out) {
  std::string path = spec->String("mountPath", out->mount_path, 4096);
  if (path.front() == '/' && path.find(':') == std::string::npos) {
    out->mount_path = std::move(path);
  } else {
    spec->Fail("mountPath",
               absl::StrCat("must be an absolute path without a colon, not \"", path, "\""));
  }
}

void ReadInit(SpecReader* spec, DatabaseSpec* out) {
  const Json nested = {{"spec", spec->Object("init")}};
  SpecReader init(nested);
  out->skip_init = init.Bool("skip", false);
  out->init_image = init.Image("image", out->image);
  out->init_command = init.Strings("command");
  out->init_resources = init.Object("resources");
  if (out->init_resources.empty()) out->init_resources = out->resources;
  out->init_deadline = init.Int("deadlineSeconds", out->init_deadline, 1, kMaxDeadline);
  if (!init.error().has_value()) return;
  const std::string_view error = *init.error();
  spec->Fail("init", absl::StrCat("is wrong: ", ToAbsl(error.substr(error.find('.') + 1))));
}

void ReadPodFields(SpecReader* spec, DatabaseSpec* out) {
  const auto set = [out](const char* field, Json value) {
    if (!value.empty()) out->pod[field] = std::move(value);
  };
  for (const char* field : {"securityContext", "affinity", "nodeSelector"}) {
    set(field, spec->Object(field));
  }
  for (const char* field : {"tolerations", "imagePullSecrets"}) set(field, spec->Objects(field));
  out->container_security = spec->Object("containerSecurityContext");
}

std::string ReadObjectName(SpecReader* spec, std::string_view field) {
  std::string name = spec->String(field, "", kMaxObjectName);
  if (name.empty() || IsDns1123Subdomain(name)) return name;
  spec->Fail(field, absl::StrCat("must be the name of an object, not \"", name, "\""));
  return "";
}

}  // namespace

DatabaseSpec ReadDatabaseSpec(const Json& parent, std::optional<std::string>* error) {
  SpecReader spec(parent);
  DatabaseSpec out;
  const std::string name = FindString(parent, {"metadata", "name"});
  out.database = spec.String("name", name.substr(0, kMaxDatabaseName), kMaxDatabaseName);
  out.image = spec.Image("image", "");
  if (out.image.empty()) spec.Fail("image", "is missing; set it to the image of the database");
  out.port = spec.Int("port", out.port, 1, 65535);
  out.replicas = spec.Int("replicas", out.replicas, 0, kMaxReplicas);
  ReadStorage(&spec, &out);
  ReadMountPath(&spec, &out);
  ReadVariables(&spec, &out);
  out.env = spec.Env();
  out.resources = spec.Object("resources");
  ReadPodFields(&spec, &out);
  out.storage_class = ReadObjectName(&spec, "storageClassName");
  out.password_secret = ReadObjectName(&spec, "passwordSecretName");
  ReadInit(&spec, &out);
  if (spec.String("deletionPolicy", "Retain") != "Retain") {
    spec.Fail("deletionPolicy", "must be Retain; this version never deletes volumes");
  }
  *error = spec.error();
  return out;
}

}  // namespace xebec::planner
