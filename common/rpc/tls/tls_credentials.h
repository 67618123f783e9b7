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

/// Somebody with a good certificate asked for what is not theirs. Called from gRPC's threads.
using OnRefusal =
    std::function<void(const std::string& method, const std::vector<std::string>& identities)>;

/// Mutual TLS (1.2 at least): the caller has to show a certificate that the CA vouches for,
/// and `access` says what it may call; the rest gets PERMISSION_DENIED. The files are looked at
/// every second: new connections use the newest. They must be good or impossible to open
/// (tls::VettedFiles): then every handshake fails.
std::shared_ptr<grpc::ServerCredentials> TlsServerCredentials(const tls::Files& files,
                                                              AccessTable access,
                                                              OnRefusal on_refusal = {});

/// The other side: shows its certificate, wants one for the name that was looked up
/// (Address::host).
std::shared_ptr<grpc::ChannelCredentials> TlsChannelCredentials(const tls::Files& files);

/// gRPC says that a server's certificate was not accepted, and not why: adds what to look at.
/// `host` is the name that was looked up. Other statuses are returned as they are.
absl::Status ExplainRefusal(const absl::Status& status, const std::string& host);

}  // namespace xebec::rpc
