// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/rpc/server/access.h"
#include "common/tls/files.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"

namespace xebec::rpc {

/// Called when a caller with a valid certificate is denied a method. Runs on threads of gRPC.
using OnRefusal =
    std::function<void(const std::string& method, const std::vector<std::string>& identities)>;

/// Returns server credentials for mutual TLS, version 1.2 or later. Callers need a certificate that
/// the CA signed, and `access` determines which methods they may call; other calls get
/// PERMISSION_DENIED. gRPC reads the files every second and uses the newest for new connections.
/// The files must be valid or impossible to open (tls::VettedFiles); in the second case every
/// handshake fails.
std::shared_ptr<grpc::ServerCredentials> TlsServerCredentials(const tls::Files& files,
                                                              AccessTable access,
                                                              OnRefusal on_refusal = {});

/// Returns the client's credentials. The server's certificate must contain the name that was
/// resolved (Address::host).
std::shared_ptr<grpc::ChannelCredentials> TlsChannelCredentials(const tls::Files& files);

/// Adds advice to gRPC's error about a rejected server certificate, which contains no reason.
/// `host` is the name that was resolved. Returns other statuses unchanged.
absl::Status ExplainRefusal(const absl::Status& status, const std::string& host);

}  // namespace xebec::rpc
