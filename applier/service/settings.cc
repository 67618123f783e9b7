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
             "path of the kubeconfig file; if empty: $KUBECONFIG, then the Pod's "
             "ServiceAccount, then ~/.kube/config");
  binder.Add("context", &settings.context,
             "context of the kubeconfig; if empty: its current context");
  binder.Add("listen", &settings.listen,
             "addresses of the ApplierService: host:port or unix:/path; without TLS, "
             "only loopback and unix sockets");
  service::BindServer(settings, binder);
  binder.Add("requestTimeout", &settings.request_timeout,
             "timeout of one API request; at most the requestTimeout of the watchers",
             absl::Milliseconds(100));
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest time to complete plans in progress when the applier stops");
}

void BindPolicy(Settings& settings, config::Binder& binder) {
  Policy& policy = settings.dispatcher.policy;
  binder.Add("allow", &settings.allow,
             "resources that may be written: deployments.apps, pods@team-a (only in that "
             "namespace) or * for all; if empty: all that RBAC allows");
  binder.Add("denyNamespaces", &policy.deny_namespaces,
             "namespaces in which nothing is written except the status of parents and events, "
             "whatever allow contains");
  binder.Add("maxOperations", &policy.max_operations, "maximum number of operations in one plan", 1,
             1 << 20);
  binder.Add("maxDeletions", &policy.max_deletions,
             "maximum number of deletions in one plan, at most maxProcessDeletions; the watchers' "
             "deletion.budget does not limit the deletions of a single parent");
  binder.Add("maxProcessDeletions", &policy.max_process_deletions,
             "maximum number of deletions of this process per deletionInterval");
  binder.Add("deletionInterval", &policy.deletion_interval, "interval of maxProcessDeletions",
             absl::Seconds(1));
  binder.Add("maxObjectBytes", &policy.max_object_bytes,
             "maximum size in bytes of an object to apply", 1024, 16 << 20);
  binder.Add("verifyOwner", &policy.verify_owner,
             "read each object before it is deleted, or changed without a controller "
             "reference, to verify its owner");
  binder.Add("parentLabels", &policy.parent_labels,
             "labels whose value is the parent's name; they prove the owner of indirect "
             "objects, e.g. the claims of a StatefulSet");
  binder.Add("events", &policy.events, "publish Kubernetes events");
  binder.Add("maxPlanAge", &policy.max_plan_age,
             "time after the arrival of a plan after which the applier starts no more of its "
             "operations",
             absl::Seconds(1));
}

void BindDispatcher(Settings& settings, config::Binder& binder) {
  DispatcherOptions& options = settings.dispatcher;
  binder.Add("lease.namespace", &options.lease_namespace, "namespace of the watchers' Leases");
  binder.Add("lease.prefix", &options.lease_prefix,
             "prefix of the name of the Lease that contains the assignment; the word assignment "
             "follows");
  binder.Add("credits.perStream", &options.credits_per_stream,
             "maximum number of plans that the applier accepts from one stream at once", 1, 512);
  binder.Add("credits.total", &options.credits_total,
             "maximum number of plans that the applier accepts from all streams at once", 1,
             1 << 16);
  binder.Add("writes.min", &settings.writes_min,
             "lowest limit on API requests (writes and live reads) in flight, however slow or "
             "overloaded the API server is; at most writes.start",
             1, 4096);
  binder.Add("writes.start", &settings.writes_start, "limit on API requests in flight at the start",
             1, 4096);
  binder.Add("writes.max", &settings.writes_max, "highest limit on API requests in flight", 1,
             4096);
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
  if (!IsDns1123Label(ns)) {
    return Wrong(entry, absl::StrCat("invalid namespace \"", ns,
                                     "\" after @: must be a DNS label, such as team-a"));
  }
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
  // A plan with more deletions than maxProcessDeletions would be deferred for ever.
  Policy& policy = options.policy;
  policy.max_deletions = std::min(policy.max_deletions, policy.max_process_deletions);
  for (const std::string& ns : options.policy.deny_namespaces) {
    if (IsDns1123Label(ns)) continue;
    return absl::InvalidArgumentError(absl::StrCat("denyNamespaces: invalid namespace \"", ns,
                                                   "\": must be a DNS label, such as team-a"));
  }
  if (!IsDns1123Label(options.lease_namespace)) {
    return absl::InvalidArgumentError(
        absl::StrCat("lease.namespace: invalid namespace \"", options.lease_namespace,
                     "\": must be a DNS label, such as xebec-system"));
  }
  absl::StatusOr<std::vector<AllowRule>> allow = ParseAllowList(settings.allow);
  if (!allow.ok()) return allow.status();
  options.policy.allow = *std::move(allow);
  options.budget.start = settings.writes_start;
  options.budget.max = settings.writes_max;
  options.budget.min = std::min(settings.writes_min, settings.writes_start);
  return options;
}

}  // namespace xebec::applier
