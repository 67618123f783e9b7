// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/rpc/server/access.h"

namespace xebec::rpc {

/// Who is who, as URIs in certificates.
struct Callers {
  std::vector<std::string> watchers;
  std::vector<std::string> clients;
};

/// The static tables of the three services: everything that is not here is denied. Whoever has a
/// certificate may ask for health; reflection, where it is on, is for clients.
AccessTable PlannerAccess(const Callers& callers);
AccessTable ApplierAccess(const Callers& callers);
AccessTable WatcherAccess(const Callers& callers);

}  // namespace xebec::rpc
