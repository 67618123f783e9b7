// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/client/channel.h"

#include <utility>
#include <vector>

#include "common/rpc/millis.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/support/channel_arguments.h"

namespace xebec::rpc {
namespace {

grpc::ChannelArguments Arguments(const Address& address, const ChannelOptions& options) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(options.max_message_bytes);
  args.SetMaxSendMessageSize(options.max_message_bytes);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Millis(options.keepalive));
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Millis(options.keepalive_timeout));
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, Millis(options.backoff_min));
  // Despite its name, this argument limits the duration of a connection attempt, not the pause
  // after it.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, Millis(options.connect_timeout));
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Millis(options.backoff_max));
  args.SetServiceConfigJSON("{}");
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (options.credentials != nullptr && !address.host.empty()) {
    args.SetSslTargetNameOverride(address.host);
  }
  return args;
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const ChannelOptions& options) {
  const auto credentials =
      options.credentials != nullptr ? options.credentials : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(address.uri, credentials, Arguments(address, options));
}

}  // namespace xebec::rpc
