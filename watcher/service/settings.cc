// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/settings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/model/names.h"

namespace xebec::watcher {
namespace {

void BindProcess(Settings& settings, config::Binder& binder) {
  binder.Add("kubeconfig", &settings.kubeconfig,
             "kubeconfig file; empty: $KUBECONFIG, the Pod's service account, ~/.kube/config");
  binder.Add("context", &settings.context, "context of the kubeconfig; empty: its current one");
  binder.Add("planner", &settings.planner,
             "where planners listen: host:port, dns:///name:port, unix:/path");
  binder.Add("applier", &settings.applier, "where appliers listen, in the same forms");
  binder.Add("listen", &settings.listen, "address of the read-only WatcherService");
  binder.Add("metricsListen", &settings.metrics_listen, "address of /metrics, /livez and /readyz");
  rpc::BindTls(settings.tls, binder);
  binder.Add("reflection", &settings.reflection, "answer gRPC reflection");
  binder.AddChoice("log.level", &settings.log_level, {"debug", "info", "warning", "error"},
                   "least level written");
  binder.AddChoice("log.format", &settings.log_format, {"json", "text"}, "form of the log lines");
  binder.Add("lanesPerAddress", &settings.lanes_per_address, "streams to each planner and applier",
             1, 16);
  binder.Add("laneMaxAge", &settings.lane_max_age,
             "of a stream, give or take 10 %: so long an old certificate may be in use",
             absl::Seconds(1));
  binder.Add("mailbox", &settings.mailbox, "inputs that may wait for the engine", 16, 1 << 20);
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest wait for reports when asked to stop");
}

void BindEngine(Options& options, config::Binder& binder) {
  binder.Add("namespaces", &options.namespaces, "look at these namespaces alone; empty: all");
  binder.Add(
      "kinds", &options.allowed_kinds,
      "parent resources that may be watched, e.g. irises.example.com; empty: all of the planner's");
  binder.Add("planTimeout", &options.plan_timeout, "longest wait for a plan",
             absl::Milliseconds(100));
  binder.Add("planLife", &options.plan_life, "from the sending of a plan to its expiry",
             absl::Milliseconds(100));
  binder.Add("requestTimeout", &options.request_timeout,
             "of one API request, here and at the applier", absl::Milliseconds(100));
  binder.Add("gateTimeout", &options.gate_timeout, "then live reads replace waiting for the cache",
             absl::Milliseconds(100));
  binder.Add("retry.min", &options.retry_min, "first back-off of a failing parent",
             absl::Milliseconds(1));
  binder.Add("retry.max", &options.retry_max, "longest back-off of a failing parent",
             absl::Milliseconds(1));
  binder.Add("watchTimeout", &options.watch_timeout, "asked of the API server for each watch",
             absl::Seconds(5));
  binder.Add("listPage", &options.list_page, "objects in a page of a list", 1, 10000);
  binder.Add("discoveryInterval", &options.discovery_interval,
             "how often a missing CRD is looked for", absl::Milliseconds(100));
  binder.Add("deletion.budget", &options.deletion_budget, "deletions per controller and interval");
  binder.Add("deletion.interval", &options.deletion_interval, "interval of the deletion budget",
             absl::Seconds(1));
}

absl::Status ValidateNamespaces(std::vector<std::string> namespaces) {
  std::sort(namespaces.begin(), namespaces.end());
  const auto twice = std::adjacent_find(namespaces.begin(), namespaces.end());
  if (twice != namespaces.end()) {
    return absl::InvalidArgumentError(absl::StrCat("namespaces: \"", *twice, "\" is there twice"));
  }
  for (const std::string& ns : namespaces) {
    if (IsDns1123Label(ns)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("namespaces: \"", ns,
                     "\" cannot be a namespace: at most 63 of a-z, 0-9 and -, as in team-a"));
  }
  return absl::OkStatus();
}

void BindLease(Settings& settings, config::Binder& binder) {
  binder.Add("lease.enabled", &settings.engine.leader_election, "elect a leader by Lease");
  binder.Add("lease.namespace", &settings.lease.ns, "namespace of the Leases");
  binder.Add("lease.prefix", &settings.lease.prefix,
             "their names begin with this; the bucket's number follows");
  binder.Add("lease.instance", &settings.lease_instance,
             "identifier of the place where this process runs, for example the UID of its Pod; a "
             "restarted watcher takes back the Leases of its own instance immediately; at most one "
             "process may use an identifier; empty: the watcher waits until the Leases expire");
  binder.Add("lease.duration", &settings.engine.lease_duration,
             "others wait that long (whole seconds) for a silent holder", absl::Seconds(2));
  binder.Add("lease.renewDeadline", &settings.engine.renew_deadline,
             "a holder that cannot renew stops then", absl::Milliseconds(500));
  binder.Add("lease.retryPeriod", &settings.engine.retry_period, "between renewals and attempts",
             absl::Milliseconds(100));
}

}  // namespace

void Bind(Settings& settings, config::Binder& binder) {
  BindProcess(settings, binder);
  BindEngine(settings.engine, binder);
  BindLease(settings, binder);
}

absl::Status Validate(const Settings& settings) {
  const Options& options = settings.engine;
  if (options.lease_duration % absl::Seconds(1) != absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "lease.duration must be whole seconds: a Lease cannot say anything between");
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
  return ValidateNamespaces(options.namespaces);
}

}  // namespace xebec::watcher
