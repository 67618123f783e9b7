// SPDX-License-Identifier: Apache-2.0
#include "applier/service/settings.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/model/names.h"

namespace xebec::applier {
namespace {

void BindProcess(Settings& settings, config::Binder& binder) {
  binder.Add("kubeconfig", &settings.kubeconfig,
             "kubeconfig file; empty: $KUBECONFIG, the Pod's service account, ~/.kube/config");
  binder.Add("context", &settings.context, "context of the kubeconfig; empty: its current one");
  binder.Add("listen", &settings.listen,
             "addresses of the ApplierService: host:port, unix:/path; without TLS loopback and "
             "unix alone");
  binder.Add("metricsListen", &settings.metrics_listen, "address of /metrics, /livez and /readyz");
  rpc::BindTls(settings.tls, binder);
  binder.Add("reflection", &settings.reflection, "answer gRPC reflection");
  binder.AddChoice("log.level", &settings.log_level, {"debug", "info", "warning", "error"},
                   "least level written");
  binder.AddChoice("log.format", &settings.log_format, {"json", "text"}, "form of the log lines");
  binder.Add("requestTimeout", &settings.request_timeout, "of one API request",
             absl::Milliseconds(100));
  binder.Add("maxConnectionAge", &settings.max_connection_age,
             "older connections are asked to close", absl::Seconds(1));
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest wait for plans in progress when asked to stop");
}

void BindPolicy(Settings& settings, config::Binder& binder) {
  Policy& policy = settings.dispatcher.policy;
  binder.Add("allow", &settings.allow,
             "what may be written: resources such as deployments.apps, pods@team-a (in that "
             "namespace alone) or *; empty: whatever RBAC allows");
  binder.Add("maxOperations", &policy.max_operations, "operations in one plan", 1, 1 << 20);
  binder.Add("maxDeletions", &policy.max_deletions, "deletions in one plan");
  binder.Add("maxProcessDeletions", &policy.max_process_deletions,
             "deletions of this process within deletionInterval");
  binder.Add("deletionInterval", &policy.deletion_interval, "interval of maxProcessDeletions",
             absl::Seconds(1));
  binder.Add("maxObjectBytes", &policy.max_object_bytes, "size of one applied object", 1024,
             16 << 20);
  binder.Add("verifyOwner", &policy.verify_owner,
             "prove by a live read whose an object is before it is deleted, or changed without a "
             "controller reference");
  binder.Add("parentLabels", &policy.parent_labels,
             "labels with the parent's name by which that read proves objects of an object of the "
             "parent, such as the claims of its StatefulSet");
  binder.Add("events", &policy.events, "publish events");
  binder.Add("maxPlanAge", &policy.max_plan_age,
             "nothing of a plan is started later than this after its arrival, whatever it says",
             absl::Seconds(1));
}

void BindDispatcher(Settings& settings, config::Binder& binder) {
  DispatcherOptions& options = settings.dispatcher;
  binder.Add("lease.namespace", &options.lease_namespace, "namespace of the watchers' Leases");
  binder.Add("lease.prefix", &options.lease_prefix,
             "their names begin with this; the bucket's number follows");
  binder.Add("credits.perStream", &options.credits_per_stream,
             "plans that one stream may have here", 1, 512);
  binder.Add("credits.total", &options.credits_total, "plans that all streams may have here", 1,
             1 << 16);
  binder.Add("writes.start", &settings.writes_start, "writes in flight at the beginning", 1, 4096);
  binder.Add("writes.max", &settings.writes_max, "writes in flight at most", 1, 4096);
}

absl::Status Wrong(const std::string& entry, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("allow: \"", entry, "\": ", why));
}

absl::Status AddEntry(const std::string& entry, std::map<std::string, AllowRule>* rules) {
  const size_t at = entry.find('@');
  const std::string resource = entry.substr(0, at);
  if (resource != "*" && !IsDns1123Subdomain(resource)) {
    return Wrong(entry, "a resource is its lower-case plural and group, as in deployments.apps");
  }
  const bool known = rules->count(resource) > 0;
  AllowRule& rule = (*rules)[resource];
  rule.resource = resource;
  if (at == std::string::npos) {
    if (known) return Wrong(entry, "the resource is named before with or without a namespace");
    return absl::OkStatus();
  }
  const std::string ns = entry.substr(at + 1);
  if (!IsDns1123Label(ns)) return Wrong(entry, "what follows @ is no namespace");
  if (known && rule.namespaces.empty()) {
    return Wrong(entry, "the resource is named before without a namespace");
  }
  rule.namespaces.push_back(ns);
  return absl::OkStatus();
}

}  // namespace

void Bind(Settings& settings, config::Binder& binder) {
  BindProcess(settings, binder);
  BindPolicy(settings, binder);
  BindDispatcher(settings, binder);
}

absl::StatusOr<std::vector<AllowRule>> ParseAllowList(const std::vector<std::string>& entries) {
  std::map<std::string, AllowRule> rules;
  for (const std::string& entry : entries) {
    if (const absl::Status added = AddEntry(entry, &rules); !added.ok()) return added;
  }
  std::vector<AllowRule> list;
  list.reserve(rules.size());
  for (auto& [resource, rule] : rules) list.push_back(std::move(rule));
  return list;
}

absl::StatusOr<DispatcherOptions> Resolve(const Settings& settings) {
  if (settings.listen.empty()) {
    return absl::InvalidArgumentError(
        "listen is empty: nobody could reach the applier; give an address such as 127.0.0.1:7444");
  }
  if (settings.writes_start > settings.writes_max) {
    return absl::InvalidArgumentError("writes.start must not be more than writes.max");
  }
  DispatcherOptions options = settings.dispatcher;
  if (!IsDns1123Label(options.lease_namespace)) {
    return absl::InvalidArgumentError(
        absl::StrCat("lease.namespace: \"", options.lease_namespace, "\" is no namespace"));
  }
  absl::StatusOr<std::vector<AllowRule>> allow = ParseAllowList(settings.allow);
  if (!allow.ok()) return allow.status();
  options.policy.allow = *std::move(allow);
  options.budget.start = settings.writes_start;
  options.budget.max = settings.writes_max;
  options.budget.min = std::min<double>(options.budget.min, settings.writes_start);
  return options;
}

}  // namespace xebec::applier
