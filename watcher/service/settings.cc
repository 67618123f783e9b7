// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/settings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "common/rpc/discovery/address.h"

namespace xebec::watcher {
namespace {

void BindProcess(Settings& settings, config::Binder& binder) {
  binder.Add("kubeconfig", &settings.kubeconfig,
             "path of the kubeconfig file; if empty: $KUBECONFIG, then the Pod's "
             "ServiceAccount, then ~/.kube/config");
  binder.Add("context", &settings.context,
             "context of the kubeconfig; if empty: its current context");
  binder.Add("planner", &settings.planner,
             "address of the planners: host:port, dns:///name:port or unix:/path");
  binder.Add("applier", &settings.applier,
             "address of the appliers: host:port, dns:///name:port or unix:/path");
  binder.Add(
      "hooks.gateway", &settings.hook_gateway,
      "address of the gateways that call hooks (xebec-hooks): host:port, dns:///name:port or "
      "unix:/path; if empty: users cannot declare operators");
  binder.Add("listen", &settings.listen,
             "address of the read-only WatcherService: host:port or unix:/path");
  binder.Add("advertise", &settings.advertise,
             "IP address at which other watchers reach the port of listen, for example that of the "
             "Pod; if empty: they cannot ask this watcher for its parents");
  service::BindService(settings, binder);
  binder.Add("streamsPerAddress", &settings.streams_per_address,
             "number of streams to each address of a planner or applier", 1, 16);
  binder.Add("streamMaxAge", &settings.stream_max_age,
             "maximum age of a stream (±10 % jitter); bounds how long an old certificate "
             "stays in use",
             absl::Seconds(1));
  binder.Add("queue", &settings.queue, "maximum number of messages that wait for the engine", 16,
             1 << 20);
  binder.Add("queueBytes", &settings.queue_bytes,
             "maximum size in bytes of the messages that wait for the engine", 1 << 20, 1 << 30);
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest time to wait for outstanding reports when the watcher stops");
}

void BindEngine(Options& options, config::Binder& binder) {
  binder.Add("namespaces", &options.namespaces, "namespaces to watch; if empty: all");
  binder.Add("kinds", &options.allowed_kinds,
             "parent resources that may be watched, e.g. irises.example.com; if empty: "
             "all kinds of the planner");
  binder.Add("hooks.parents", &options.hook_parents,
             "resources that operators may have as parents, e.g. webs.example.com; if empty: all");
  binder.Add("hooks.children", &options.hook_children,
             "resources that operators may have as children, e.g. deployments.apps; if empty: all");
  binder.Add("planTimeout", &options.plan_timeout, "longest time to wait for a plan",
             absl::Milliseconds(100));
  binder.Add("planLife", &options.plan_life, "time after which appliers reject a plan as expired",
             absl::Milliseconds(100));
  binder.Add("requestTimeout", &options.request_timeout,
             "timeout of one API request; at least the requestTimeout of the appliers, because the "
             "watcher waits this long for requests whose outcome it does not know",
             absl::Milliseconds(100));
  binder.Add("gateTimeout", &options.gate_timeout,
             "longest wait until the cache contains the last writes; after it, the watcher reads "
             "the objects from the API server",
             absl::Milliseconds(100));
  binder.Add("retry.min", &options.retry_min, "first back-off of a parent whose reconcile failed",
             absl::Milliseconds(1));
  binder.Add("retry.max", &options.retry_max, "longest back-off of a parent whose reconcile failed",
             absl::Milliseconds(1));
  binder.Add("watchTimeout", &options.watch_timeout,
             "timeout of each watch, after which the API server ends it and the watcher "
             "opens it again",
             absl::Seconds(5));
  binder.Add("listPage", &options.list_page, "number of objects in one page of a list", 1, 10000);
  binder.Add("discoveryInterval", &options.discovery_interval,
             "time between two checks for a missing CRD", absl::Milliseconds(100));
  binder.Add(
      "deletion.budget", &options.deletion_budget,
      "number of deletions per controller and deletion.interval, of all watchers together; the "
      "deletions of a parent are deferred while other parents have used up the budget; 0: all "
      "deletions are deferred");
  binder.Add("deletion.interval", &options.deletion_interval, "interval of deletion.budget",
             absl::Seconds(1));
}

absl::Status ValidateNamespaces(std::vector<std::string> namespaces) {
  std::sort(namespaces.begin(), namespaces.end());
  const auto twice = std::adjacent_find(namespaces.begin(), namespaces.end());
  if (twice != namespaces.end()) {
    return absl::InvalidArgumentError(absl::StrCat("namespaces: \"", *twice, "\" appears twice"));
  }
  for (const std::string& ns : namespaces) {
    if (IsDns1123Label(ns)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("namespaces: \"", ns,
                     "\" cannot be a namespace: at most 63 of a-z, 0-9 and -, as in team-a"));
  }
  return absl::OkStatus();
}

absl::Status ValidateAdvertise(const Settings& settings) {
  if (settings.advertise.empty()) return absl::OkStatus();
  if (!rpc::IsLiteral({settings.advertise, "", ""})) {
    return absl::InvalidArgumentError(
        absl::StrCat("advertise: \"", settings.advertise,
                     "\" must be an IP address without a port, as in 10.0.0.3 or fd00::3"));
  }
  const auto listen = rpc::ParseTargets(settings.listen);
  if (!listen.ok()) return listen.status();
  if (listen->size() != 1 || !listen->front().path.empty() || listen->front().port == "0") {
    return absl::InvalidArgumentError(
        absl::StrCat("advertise needs a port in listen, not \"", settings.listen, "\""));
  }
  return absl::OkStatus();
}

void BindLease(Settings& settings, config::Binder& binder) {
  binder.Add("lease.enabled", &settings.engine.leader_election,
             "share the parents with other watchers by Leases; disable it only if exactly one "
             "watcher runs");
  binder.Add("buckets", &settings.engine.buckets,
             "number of buckets that the parents are divided into, the same for all watchers of an "
             "installation; more buckets than watchers are needed to share the load equally",
             1, kMaxBuckets);
  binder.Add("lease.namespace", &settings.lease.ns, "namespace of the watchers' Leases");
  binder.Add("lease.prefix", &settings.lease.prefix,
             "prefix of the names of the Leases; a number or \"assignment\" follows");
  binder.Add("lease.instance", &settings.lease_instance,
             "identifier of the place where this process runs, for example the UID of its Pod; a "
             "restarted watcher takes back the Leases of its own instance immediately; at most one "
             "process may use an identifier; empty: the watcher waits until the Leases expire");
  binder.Add("lease.duration", &settings.engine.lease_duration,
             "time, in whole seconds, after which a Lease that was not renewed may be "
             "taken over",
             absl::Seconds(2));
  binder.Add("lease.renewDeadline", &settings.engine.renew_deadline,
             "time after which a leader that cannot renew its Lease stops leading",
             absl::Milliseconds(500));
  binder.Add("lease.retryPeriod", &settings.engine.retry_period,
             "time between two attempts to acquire or renew a Lease", absl::Milliseconds(100));
}

}  // namespace

void Bind(Settings& settings, config::Binder& binder) {
  BindProcess(settings, binder);
  BindEngine(settings.engine, binder);
  BindLease(settings, binder);
}

std::string AdvertisedAddress(const Settings& settings) {
  if (settings.advertise.empty()) return "";
  const std::string port = rpc::ParseTargets(settings.listen)->front().port;
  const bool v6 = settings.advertise.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", settings.advertise, v6 ? "]:" : ":", port);
}

absl::Status Validate(const Settings& settings) {
  const Options& options = settings.engine;
  if (options.lease_duration % absl::Seconds(1) != absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "lease.duration must be a whole number of seconds, as in a Lease");
  }
  if (options.renew_deadline >= options.lease_duration) {
    return absl::InvalidArgumentError(
        "lease.renewDeadline must be shorter than lease.duration: a holder has to stop before "
        "another may start");
  }
  if (options.retry_period >= options.renew_deadline) {
    return absl::InvalidArgumentError("lease.retryPeriod must be shorter than lease.renewDeadline");
  }
  if (options.retry_min > options.retry_max) {
    return absl::InvalidArgumentError("retry.min must not be longer than retry.max");
  }
  if (absl::Status advertise = ValidateAdvertise(settings); !advertise.ok()) return advertise;
  return ValidateNamespaces(options.namespaces);
}

}  // namespace xebec::watcher
