// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/rpc/server/access.h"

namespace xebec::rpc {

/// The identities of callers, as URIs in certificates.
struct Callers {
  std::vector<std::string> watchers;
  std::vector<std::string> clients;
};

/// Return the access tables of the services. All callers with a certificate may call the
/// health service. Reflection, if enabled, is for clients.
AccessTable PlannerAccess(const Callers& callers);
AccessTable ApplierAccess(const Callers& callers);
AccessTable HooksAccess(const Callers& callers);
AccessTable WatcherAccess(const Callers& callers);

}  // namespace xebec::rpc
