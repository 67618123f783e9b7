// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/tls/files.h"
#include "grpcpp/channel.h"

namespace xebec::cli {

/// The settings for connections to services.
struct Transport {
  tls::Files files;        ///< Empty means the files of the Pod, if it has any; otherwise no TLS.
  bool plaintext = false;  ///< Use no TLS even if there are files.
  absl::Duration timeout = absl::Seconds(5);  ///< Timeout of each call.
  /// The folder where the chart mounts the certificate of each Pod. With it, a service on loopback
  /// is the Pod's own service, whose certificate contains the name in that file.
  std::string pod_folder = "/etc/xebec/tls";
};

/// One replica of a service.
struct Peer {
  std::string name;  ///< "planner at ipv4:10.0.0.1:7443"
  std::string host;  ///< The name that its certificate must contain.
  std::shared_ptr<grpc::Channel> channel;
};

/// Returns all replicas of the service `name` at `where` (see rpc::ParseTargets) without
/// connecting. Resolves names, which blocks, and checks the certificate files, because gRPC's
/// errors do not explain what is wrong with them.
absl::StatusOr<std::vector<Peer>> PeersAt(const std::string& name, const std::string& where,
                                          const Transport& transport);

/// True if the peer did not answer, so that another one can be tried.
bool IsSilent(const absl::Status& answer);

/// The status with the peer's name, and with a hint if a certificate was rejected.
absl::Status Complaint(const Peer& peer, const absl::Status& status);

/// Calls one address of the service after the other until one answers; tries the next one after
/// UNAVAILABLE and DEADLINE_EXCEEDED, and skips names that cannot be resolved. Returns OK or the
/// errors of all of them.
absl::Status AtFirstThatAnswers(const std::string& name, const std::string& where,
                                const Transport& transport,
                                const std::function<absl::Status(const Peer&)>& call);

/// Requests the plan of `observation` from one planner.
absl::StatusOr<Plan> AskPlanner(const Peer& planner, const Observation& observation,
                                absl::Duration timeout);

}  // namespace xebec::cli
