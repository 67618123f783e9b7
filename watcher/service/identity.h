// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::watcher {

/// The name of a process in its Leases.
struct Identity {
  std::string name;      ///< Names one process and no other, ever.
  std::string instance;  ///< What the names of all processes of one instance begin with, or empty.
};

/// "<hostname>_<instance>_<16 random hex digits>", or without the instance where it is empty.
/// `instance` names a place where at most one process runs at any time, such as a container of a
/// Pod.
Identity FreshIdentity(const std::string& instance);

}  // namespace xebec::watcher
