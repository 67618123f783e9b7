// SPDX-License-Identifier: Apache-2.0
// xebec-certs: creates and renews the certificates of one release in Secrets that no other
// program writes.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "certs/renewal/identities.h"
#include "certs/renewal/renewal.h"
#include "certs/service/secret_client.h"
#include "common/base/clock.h"
#include "common/kube/cluster_config.h"
#include "common/model/names.h"
#include "common/program/program.h"
#include "common/telemetry/process.h"

namespace xebec::certs {
namespace {

constexpr int kAttempts = 5;
/// 114 years; as many digits as the chart takes.
constexpr absl::Duration kLongestLife = absl::Hours(999'999);

struct Settings {
  Options options;
  std::string kubeconfig, context;
};

void Bind(Settings& settings, config::Binder& binder) {
  Options& options = settings.options;
  binder.Add("namespace", &options.ns, "namespace of the release");
  binder.Add("fullname", &options.fullname, "prefix of the names of all objects of the release");
  binder.Add("clusterDomain", &options.cluster_domain, "DNS domain of the cluster");
  binder.Add("trustDomain", &options.trust_domain,
             "trust domain of the identities: spiffe://DOMAIN/ns/...");
  binder.Add("hooks", &options.hooks,
             "issue a certificate also for the gateway (hooks.enabled in the chart)");
  binder.Add("certDuration", &options.cert_duration, "lifetime of the services' certificates",
             absl::Minutes(10));
  binder.Add("caDuration", &options.ca_duration, "lifetime of the CA", absl::Hours(1));
  binder.Add("overlap", &options.overlap,
             "time during which all services trust a new CA before it signs certificates");
  binder.Add("kubeconfig", &settings.kubeconfig,
             "path of the kubeconfig file; if empty: $KUBECONFIG, then the Pod's "
             "ServiceAccount, then ~/.kube/config");
  binder.Add("context", &settings.context,
             "context of the kubeconfig; if empty: its current context");
}

absl::Status Validate(const Options& options) {
  if (!IsDns1123Label(options.ns)) {
    return absl::InvalidArgumentError(
        absl::StrCat("namespace: \"", options.ns, "\" is not a valid namespace"));
  }
  if (!IsDns1123Subdomain(options.fullname)) {
    return absl::InvalidArgumentError(
        absl::StrCat("fullname: \"", options.fullname, "\" is not a valid object name"));
  }
  if (std::max(options.cert_duration, options.ca_duration) > kLongestLife) {
    return absl::InvalidArgumentError(
        "certDuration, caDuration: must be at most 999999h (114 years)");
  }
  if (options.overlap * 4 > options.ca_duration) {
    return absl::InvalidArgumentError("overlap must be at most a quarter of caDuration");
  }
  return absl::OkStatus();
}

/// One attempt. ABORTED when another writer changed the same Secrets.
absl::Status RenewOnce(const SecretClient& client, const Options& options) {
  std::map<std::string, StoredSecret> stored;
  Secrets present;
  std::vector<std::string> names = {CaSecret(options)};  // first: its key must not be lost
  for (const Identity& identity : IdentitiesOf(options)) names.push_back(identity.secret);
  for (const std::string& name : names) {
    absl::StatusOr<StoredSecret> secret = client.Read(name);
    if (!secret.ok()) return secret.status();
    if (secret->exists) present[name] = secret->data;
    stored[name] = *std::move(secret);
  }
  const absl::StatusOr<Secrets> wanted = Renew(present, options, ReadClock().wall);
  if (!wanted.ok()) return wanted.status();
  for (const std::string& name : names) {
    if (stored[name].exists && stored[name].data == wanted->at(name)) continue;
    if (absl::Status written = client.Write(name, stored[name], wanted->at(name)); !written.ok()) {
      return written;
    }
    telemetry::Log(telemetry::Level::kInfo, "certs", stored[name].exists ? "Renewed" : "Created",
                   {{"secret", name}});
  }
  return absl::OkStatus();
}

absl::Status Run(const Settings& settings) {
  absl::StatusOr<kube::ClusterAccess> access =
      kube::LoadClusterAccess(settings.kubeconfig, settings.context);
  if (!access.ok()) return access.status();
  http::ApiClientOptions client_options;
  client_options.user_agent = absl::StrCat("xebec-certs/", telemetry::Version());
  http::ApiClient http_client(*std::move(access), client_options);
  const SecretClient client(&http_client, settings.options.ns);
  absl::Status last;
  for (int i = 0; i < kAttempts; ++i) {
    last = RenewOnce(client, settings.options);
    if (!absl::IsAborted(last)) break;
  }
  if (last.ok()) telemetry::Log(telemetry::Level::kInfo, "certs", "All certificates are valid");
  return last;
}

int Main(int argc, char** argv) {
  Settings settings;
  program::Program certs{"xebec-certs",
                         "Creates and renews the certificates of one release of the chart."};
  certs.bind = [&settings](config::Binder& binder) { Bind(settings, binder); };
  certs.validate = [&settings] { return Validate(settings.options); };
  certs.log = [] { return telemetry::LogOptions{.component = "certs"}; };
  certs.run = [&settings] { return Run(settings); };
  return program::Main(certs, argc, argv);
}

}  // namespace
}  // namespace xebec::certs

int main(int argc, char** argv) { return xebec::certs::Main(argc, argv); }
