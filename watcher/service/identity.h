// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::watcher {

/// The identity of a process in its Leases.
struct Identity {
  std::string name;  ///< Unique for every start of a process.
  /// The common prefix of the names of all processes of one instance; may be empty.
  std::string instance;
};

/// Returns the name "<hostname>_<instance>_<16 random hex digits>", without the instance if it is
/// empty. `instance` names a place where at most one process runs at any time, such as a container
/// of a Pod.
Identity FreshIdentity(const std::string& instance);

}  // namespace xebec::watcher
