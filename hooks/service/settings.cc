// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/settings.h"

#include <utility>

#include "common/base/status.h"

namespace xebec::gateway {
namespace {

void BindProcess(Settings& settings, config::Binder& binder) {
  binder.Add("listen", &settings.listen,
             "addresses of the HookGatewayService: host:port or unix:/path; without TLS, only "
             "loopback and unix sockets");
  service::BindServer(settings, binder);
  binder.Add("drainTimeout", &settings.drain_timeout,
             "longest time to complete calls in progress when the gateway stops");
}

void BindPolicy(Settings& settings, config::Binder& binder) {
  PolicyOptions& policy = settings.policy;
  binder.Add("allowedHosts", &policy.allowed_hosts,
             "hosts outside of the cluster that may be hooks: hooks.example.com, *.example.com");
  binder.Add(
      "deniedHosts", &policy.denied_hosts,
      "hosts with their subdomains, addresses and address blocks that may not be hooks, such "
      "as the Services of this release");
  binder.Add("allowPlaintext", &policy.allow_plaintext,
             "allow hooks outside of the cluster without TLS");
  binder.Add("allowLoopback", &policy.allow_loopback,
             "allow hooks on this machine, also without TLS; for development only");
  binder.Add("clusterDomain", &policy.cluster_domain, "DNS domain of the cluster");
  binder.Add("credentials", &settings.credentials,
             "client certificates for hooks: name=/folder@host, with | between several hosts; the "
             "folder contains tls.crt and tls.key");
}

void BindLimits(Settings& settings, config::Binder& binder) {
  binder.Add("concurrency", &settings.limits.concurrency,
             "maximum number of calls of one hook in flight", 1, 4096);
  binder.Add("waiting", &settings.limits.waiting,
             "maximum number of calls that wait for one hook; further calls fail", 1, 1 << 16);
  binder.Add("maxAnswerBytes", &settings.max_answer_bytes, "maximum size of a hook's answer", 1024,
             15 << 20);
  binder.Add("cacheBytes", &settings.cache_bytes, "size of the cache of answers; 0: no cache", 0,
             uint64_t{16} << 30);
  binder.Add("connectTimeout", &settings.connect_timeout,
             "longest time to connect to a hook and describe it", absl::Milliseconds(10));
  binder.Add("credits.perStream", &settings.credits_per_stream,
             "maximum number of calls that the gateway accepts from one stream at once", 1, 4096);
}

}  // namespace

void Bind(Settings& settings, config::Binder& binder) {
  BindProcess(settings, binder);
  BindPolicy(settings, binder);
  BindLimits(settings, binder);
}

absl::StatusOr<LoopOptions> Resolve(const Settings& settings, const std::string& api_server) {
  if (settings.listen.empty()) {
    return absl::InvalidArgumentError(
        "listen is empty: nobody could reach the gateway; give an address such as 127.0.0.1:7446");
  }
  LoopOptions options;
  PolicyOptions policy = settings.policy;
  if (!api_server.empty()) policy.denied_hosts.push_back(api_server);
  XEBEC_ASSIGN_OR_RETURN(options.policy, EndpointPolicy::Make(policy));
  XEBEC_ASSIGN_OR_RETURN(options.credentials, Credentials::Make(settings.credentials));
  options.limits = settings.limits;
  options.limits.max_answer_bytes = settings.max_answer_bytes;
  options.limits.cache_bytes = settings.cache_bytes;
  options.connect_timeout = settings.connect_timeout;
  return options;
}

}  // namespace xebec::gateway
