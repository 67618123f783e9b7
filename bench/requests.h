// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/kube/api_request.h"

/// The requests of the user whom the load program plays.
namespace xebec::bench {

/// Path of the Irises of a namespace.
std::string IrisPath(const std::string& ns);

/// POST of an Iris with one replica.
kube::ApiRequest CreateIris(const std::string& ns, const std::string& name);

/// Merge patch of spec.replicas.
kube::ApiRequest ScaleIris(const std::string& ns, const std::string& name, int replicas);

/// POST of a Pod that belongs to nobody and has the size of a usual one.
kube::ApiRequest CreatePod(const std::string& ns, const std::string& name);

}  // namespace xebec::bench
