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

/// How to connect to services.
struct Transport {
  tls::Files files;        ///< Empty: those of the Pod, if it has any; otherwise no TLS.
  bool plaintext = false;  ///< Use no TLS even if there are files.
  absl::Duration timeout = absl::Seconds(5);  ///< Of each call.
  /// Where the chart mounts the certificate of each of its Pods. With it, a service on loopback is
  /// the Pod's own and proves the name in that certificate.
  std::string pod_folder = "/etc/xebec/tls";
};

/// One replica of a service.
struct Peer {
  std::string name;  ///< "planner at ipv4:10.0.0.1:7443"
  std::string host;  ///< The name that its certificate must contain.
  std::shared_ptr<grpc::Channel> channel;
};

/// All replicas of the service `name` at `where` (rpc::ParseTargets); nothing is connected yet.
/// Looks names up, which blocks, and into the certificate files: gRPC would not say what is wrong
/// with them.
absl::StatusOr<std::vector<Peer>> PeersAt(const std::string& name, const std::string& where,
                                          const Transport& transport);

/// True if the peer did not answer, so that another one can be tried.
bool IsSilent(const absl::Status& answer);

/// The status with the peer's name, and with a hint if a certificate was rejected.
absl::Status Complaint(const Peer& peer, const absl::Status& status);

/// Calls one address of the service after the other until one answers; tries the next one after
/// UNAVAILABLE and DEADLINE_EXCEEDED. Returns OK or the errors of all of them.
absl::Status AtFirstThatAnswers(const std::string& name, const std::string& where,
                                const Transport& transport,
                                const std::function<absl::Status(const Peer&)>& call);

/// Asks one planner for the plan of `observation`.
absl::StatusOr<Plan> AskPlanner(const Peer& planner, const Observation& observation,
                                absl::Duration timeout);

}  // namespace xebec::cli
