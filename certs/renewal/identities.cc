// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal/identities.h"

#include "absl/strings/str_cat.h"

namespace xebec::certs {
namespace {

Identity Of(const Options& options, const std::string& component, bool server) {
  const std::string name = absl::StrCat(options.fullname, "-", component);
  Identity identity;
  identity.secret = name + "-tls";
  identity.uri = absl::StrCat("spiffe://", options.trust_domain, "/ns/", options.ns, "/sa/", name);
  if (!server) return identity;
  const std::string service = absl::StrCat(name, ".", options.ns, ".svc");
  identity.dns_names = {absl::StrCat(name, ".", options.ns), service,
                        absl::StrCat(service, ".", options.cluster_domain), "localhost"};
  return identity;
}

}  // namespace

std::vector<Identity> IdentitiesOf(const Options& options) {
  std::vector<Identity> identities = {Of(options, "watcher", true), Of(options, "planner", true),
                                      Of(options, "applier", true), Of(options, "client", false)};
  if (options.hooks) identities.push_back(Of(options, "hooks", true));
  return identities;
}

std::string CaSecret(const Options& options) { return options.fullname + "-ca"; }

}  // namespace xebec::certs
