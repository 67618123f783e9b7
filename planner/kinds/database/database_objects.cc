// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/database_objects.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/base/strings.h"
#include "common/model/fields.h"
#include "common/model/names.h"
#include "planner/kinds/database/init_script.h"
#include "planner/kinds/pod_reason.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// "<StatefulSet>-<10 characters>" is a label value of its Pods and must fit.
constexpr size_t kMaxBase = 52;
constexpr size_t kDigestDigits = 8;
constexpr std::string_view kScriptFolder = "/xebec";
constexpr std::string_view kScript = "init.sh";
constexpr std::string_view kImmutable[] = {"serviceName", "podManagementPolicy", "selector",
                                           "volumeClaimTemplates"};

// Returns true for a DNS-1035 label, the valid form of a Service's name.
bool CanBeBase(std::string_view name) {
  return name.size() <= kMaxBase && IsDns1123Label(name) &&
         absl::ascii_isalpha(static_cast<unsigned char>(name.front()));
}

std::string BaseName(const std::string& name) {
  if (CanBeBase(name)) return name;
  std::string base = name;
  std::replace(base.begin(), base.end(), '.', '-');
  if (base.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(base.front()))) {
    base.insert(0, "db-");
  }
  base.resize(std::min(base.size(), kMaxBase - kDigestDigits - 1));
  while (base.back() == '-') base.pop_back();
  return absl::StrCat(base, "-", ShortDigest(name, kDigestDigits));
}

Json Labels(const View& view) {
  Json labels = Json::object();
  labels[std::string(kDatabaseLabel)] = LabelValue(view.name);
  return labels;
}

DesiredChild Named(const View& view, const ResourceType& type, const std::string& name) {
  DesiredChild child;
  child.type = type;
  child.object["metadata"]["name"] = name;
  child.object["metadata"]["labels"] = Labels(view);
  child.on_created = {
      {EventCondition::kCreated, false, "Created", absl::StrCat("Create", type.kind),
       absl::StrCat("Created ", absl::AsciiStrToLower(type.kind), " \"", name, "\"")}};
  return child;
}

Json Value(std::string_view name, const std::string& value) {
  return {{"name", std::string(name)}, {"value", value}};
}

Json Password(const View& view, const DatabaseSpec& spec, std::string_view name) {
  const std::string secret =
      spec.password_secret.empty() ? NamesOf(view).credentials : spec.password_secret;
  const Json key = {{"name", secret}, {"key", std::string(kPasswordKey)}};
  return {{"name", std::string(name)}, {"valueFrom", {{"secretKeyRef", key}}}};
}

// Returns the variables of the kind and of the user. The user's variable replaces one of the same
// name.
Json WithUsersEnv(const std::vector<Json>& ours, const Json& users) {
  Json env = Json::array();
  for (const Json& entry : ours) {
    const std::string name = FindString(entry, {"name"});
    const bool overridden = std::any_of(users.begin(), users.end(), [&](const Json& other) {
      return FindString(other, {"name"}) == name;
    });
    if (!overridden) env.push_back(entry);
  }
  for (const Json& entry : users) env.push_back(entry);
  return env;
}

// Returns `ours` with the value that the user sets for the variable `replica_name` of the replicas:
// the init Job must connect with the values that the replicas were started with.
Json AsInReplicas(Json ours, const DatabaseSpec& spec, const std::string& replica_name) {
  for (const Json& entry : spec.env) {
    if (FindString(entry, {"name"}) != replica_name) continue;
    const std::string name = FindString(ours, {"name"});
    ours = entry;
    ours["name"] = name;
  }
  return ours;
}

void AddContainerFields(const DatabaseSpec& spec, const Json& resources, Json* container) {
  if (!resources.empty()) (*container)["resources"] = resources;
  if (!spec.container_security.empty()) (*container)["securityContext"] = spec.container_security;
}

void AddPodFields(const DatabaseSpec& spec, Json* pod) {
  for (const auto& [field, value] : spec.pod.items()) (*pod)[field] = value;
}

Json DatabaseContainer(const View& view, const DatabaseSpec& spec) {
  Json container = {{"name", "database"}, {"image", spec.image}};
  container["ports"] =
      Json::array({{{"name", "database"}, {"containerPort", spec.port}, {"protocol", "TCP"}}});
  container["env"] = WithUsersEnv(
      {Value(spec.port_variable, absl::StrCat(spec.port)),
       Value(spec.database_variable, spec.database), Password(view, spec, spec.password_variable)},
      spec.env);
  // Uses a folder: the root of a volume may contain lost+found, and databases refuse a folder that
  // is not empty.
  container["volumeMounts"] = Json::array({{{"name", std::string(kClaimTemplate)},
                                            {"mountPath", spec.mount_path},
                                            {"subPath", "data"}}});
  container["readinessProbe"] = {{"tcpSocket", {{"port", spec.port}}}, {"periodSeconds", 5}};
  AddContainerFields(spec, spec.resources, &container);
  return container;
}

Json ClaimTemplate(const View& view, const DatabaseSpec& spec) {
  Json claim;
  claim["metadata"] = {{"name", std::string(kClaimTemplate)}, {"labels", Labels(view)}};
  claim["spec"]["accessModes"] = Json::array({"ReadWriteOnce"});
  claim["spec"]["resources"]["requests"]["storage"] = spec.storage;
  if (!spec.storage_class.empty()) claim["spec"]["storageClassName"] = spec.storage_class;
  return claim;
}

Json InitContainer(const View& view, const DatabaseSpec& spec) {
  Json container = {{"name", "init"}, {"image", spec.init_image}};
  if (spec.init_command.empty()) {
    container["command"] =
        Json::array({"sh", absl::StrCat(ToAbsl(kScriptFolder), "/", ToAbsl(kScript))});
  } else {
    container["command"] = spec.init_command;
  }
  container["env"] = WithUsersEnv(
      {Value("DATABASE_HOST", NamesOf(view).host), Value("DATABASE_PORT", absl::StrCat(spec.port)),
       AsInReplicas(Value("DATABASE_NAME", spec.database), spec, spec.database_variable),
       AsInReplicas(Password(view, spec, "DATABASE_PASSWORD"), spec, spec.password_variable)},
      spec.env);
  AddContainerFields(spec, spec.init_resources, &container);
  container["volumeMounts"] = Json::array(
      {{{"name", "script"}, {"mountPath", std::string(kScriptFolder)}, {"readOnly", true}}});
  return container;
}

EventFact Scaled(const std::string& name, int64_t replicas) {
  return {EventCondition::kChanged, false, "Scaled", "ScaleStatefulSet",
          absl::StrCat("Scaled statefulset \"", name, "\" to ", replicas, " replicas")};
}

}  // namespace

DatabaseNames NamesOf(const View& view) {
  DatabaseNames names;
  names.base = BaseName(view.name);
  names.config = names.base + "-config";
  names.credentials = names.base + "-credentials";
  const std::string run = absl::StrCat("-init-", ShortDigest(view.uid, kDigestDigits));
  names.init = BoundedName(names.base, run, kMaxLabel);
  const std::string ns = view.ns.empty() ? "default" : view.ns;
  names.host = absl::StrCat(names.base, "-0.", names.base, ".", ns, ".svc");
  return names;
}

std::string PodSelector(const View& view) {
  return absl::StrCat(ToAbsl(kDatabaseLabel), "=", LabelValue(view.name));
}

DesiredChild DatabaseService(const View& view, const DatabaseSpec& spec) {
  DesiredChild child = Named(view, ServiceType(), NamesOf(view).base);
  // Replicas must find each other before they are ready.
  child.object["spec"] = {
      {"clusterIP", "None"}, {"publishNotReadyAddresses", true}, {"selector", Labels(view)}};
  child.object["spec"]["ports"] = Json::array({{{"name", "database"},
                                                {"port", spec.port},
                                                {"targetPort", spec.port},
                                                {"protocol", "TCP"}}});
  return child;
}

DesiredChild DatabaseConfig(const View& view, const DatabaseSpec& spec) {
  const DatabaseNames names = NamesOf(view);
  DesiredChild child = Named(view, ConfigMapType(), names.config);
  child.object["data"] = {{"host", names.host},
                          {"port", absl::StrCat(spec.port)},
                          {"database", spec.database},
                          {std::string(kScript), std::string(kInitScript)}};
  return child;
}

DesiredChild DatabaseStatefulSet(const View& view, const DatabaseSpec& spec, const Child* live) {
  const std::string name = NamesOf(view).base;
  DesiredChild child = Named(view, StatefulSetType(), name);
  Json& set = child.object["spec"];
  set["serviceName"] = name;
  set["replicas"] = spec.replicas;
  // In parallel, because a first Pod that never becomes ready would block its own repair.
  set["podManagementPolicy"] = "Parallel";
  set["selector"]["matchLabels"] = Labels(view);
  set["template"]["metadata"]["labels"] = Labels(view);
  set["template"]["spec"]["containers"] = Json::array({DatabaseContainer(view, spec)});
  AddPodFields(spec, &set["template"]["spec"]);
  set["volumeClaimTemplates"] = Json::array({ClaimTemplate(view, spec)});
  LabelPods(view, live, &child.object);
  if (live == nullptr) {
    child.stage = 1;  // Starts after the Secret, because its Pods need it.
    return child;
  }
  for (std::string_view field : kImmutable) {
    const Json* value = Find(live->object, {"spec", field});
    Json& desired = set[std::string(field)];
    if (value != nullptr && !Covers(*value, desired)) desired = Json(*value);
  }
  if (FindInt(live->object, {"spec", "replicas"}) != spec.replicas) {
    child.on_changed = {Scaled(name, spec.replicas)};
  }
  return child;
}

DesiredChild DatabaseInitJob(const View& view, const DatabaseSpec& spec) {
  const DatabaseNames names = NamesOf(view);
  DesiredChild child = Named(view, JobType(), names.init);
  child.object["spec"]["backoffLimit"] = 6;
  child.object["spec"]["activeDeadlineSeconds"] = spec.init_deadline;
  Json& pod = child.object["spec"]["template"];
  // Without the Database's label, so that the Service does not send clients to this Pod.
  pod["metadata"]["labels"]["xebec.dev/database-init"] = LabelValue(view.name);
  pod["metadata"]["labels"][std::string(kParentLabel)] = LabelValue(view.name);
  pod["spec"]["restartPolicy"] = "Never";
  pod["spec"]["containers"] = Json::array({InitContainer(view, spec)});
  pod["spec"]["volumes"] =
      Json::array({{{"name", "script"}, {"configMap", {{"name", names.config}}}}});
  AddPodFields(spec, &pod["spec"]);
  const std::string digest = DesiredDigest(child.object["spec"]);
  child.object["metadata"]["annotations"][std::string(kInitDigestAnnotation)] = digest;
  return child;
}

DesiredSecret DatabaseCredentials(const View& view) {
  DesiredSecret secret;
  secret.name = NamesOf(view).credentials;
  secret.generated_keys = {std::string(kPasswordKey)};
  secret.labels = {{std::string(kDatabaseLabel), LabelValue(view.name)}};
  return secret;
}

}  // namespace xebec::planner
