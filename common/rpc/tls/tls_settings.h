// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/config/config.h"
#include "common/rpc/server/server.h"
#include "common/rpc/server/service_access.h"
#include "common/telemetry/metrics.h"
#include "common/tls/files.h"

namespace xebec::rpc {

/// The `tls` part of a service's settings.
struct TlsSettings {
  tls::Files files;  ///< None: plaintext on loopback and unix sockets.
  Callers callers;
};

/// Gives every setting its key, flag and variable.
void BindTls(TlsSettings& settings, config::Binder& binder);

/// OK without TLS and when all files are named; whether they are there is another question.
absl::Status ValidateTls(const TlsSettings& settings);

/// Server credentials for `access` of CertificateWatch::vetted; null without TLS. Refusals are
/// logged and counted (xebec_rpc_refused_total) in `registry`, which outlives the server.
std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(const tls::Files& vetted,
                                                             AccessTable access,
                                                             telemetry::Registry* registry);

}  // namespace xebec::rpc
