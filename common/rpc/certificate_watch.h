// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "common/telemetry/metrics.h"
#include "common/tls/files.h"

namespace xebec::rpc {

/// Looks at the files now, at each scrape and at each question; logs what changes, and adds
/// certificate_expiration_timestamp_seconds and certwatcher_read_certificate_{total,errors_total}
/// to `registry`, as controller-runtime names them. Returns a check for readiness: "" without TLS
/// and once the files have been good (gRPC keeps what was good), before that what is wrong with
/// them. Thread-safe.
std::function<std::string()> WatchCertificate(const tls::Files& files,
                                              telemetry::Registry* registry);

}  // namespace xebec::rpc
