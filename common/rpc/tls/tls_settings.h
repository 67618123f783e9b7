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
  tls::Files files;  ///< No files means plaintext on loopback addresses and unix sockets.
  Callers callers;
};

/// Binds all settings.
void BindTls(TlsSettings& settings, config::Binder& binder);

/// Returns OK without TLS and if all files are named. Does not check that the files exist.
absl::Status ValidateTls(const TlsSettings& settings);

/// Returns server credentials that use the files of CertificateWatch::vetted; null without TLS.
/// Logs denied calls and counts them as xebec_rpc_refused_total in `registry`, which must outlive
/// the server.
std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(const tls::Files& vetted,
                                                             AccessTable access,
                                                             telemetry::Registry* registry);

}  // namespace xebec::rpc
