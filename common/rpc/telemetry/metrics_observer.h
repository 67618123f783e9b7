// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/rpc/telemetry/call_observer.h"
#include "common/telemetry/metrics.h"

namespace xebec::rpc {

/// Returns an observer that counts calls like Go's gRPC middleware, so that existing dashboards
/// work: grpc_server_started_total, grpc_server_handled_total{grpc_code},
/// grpc_server_msg_received_total, grpc_server_msg_sent_total, grpc_server_handling_seconds, and
/// the same with `client`; labels grpc_type, grpc_service, grpc_method. `registry` must outlive the
/// observer.
CallObserver MetricsObserver(telemetry::Registry* registry);

}  // namespace xebec::rpc
