// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/listener.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xebec::rpc {
namespace {

absl::StatusOr<Target> Admit(const std::string& listen, bool plaintext) {
  absl::StatusOr<std::vector<Target>> targets = ParseTargets(listen);
  if (!targets.ok()) return targets.status();
  if (targets->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("listen address \"", listen, "\": one address expected, not a list"));
  }
  if (plaintext && !IsLocal(targets->front())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "refusing to listen on \"", listen,
        "\" without TLS: every client that reaches it could call the service. Without TLS only "
        "loopback addresses "
        "(127.0.0.1, [::1], localhost) and unix sockets are served; listen on 127.0.0.1:",
        targets->front().port, " or unix:/path, or configure TLS"));
  }
  return targets->front();
}

std::string UriOf(const Target& target, int port) {
  if (!target.path.empty()) return absl::StrCat("unix:", target.path);
  if (absl::StrContains(target.host, ":")) return absl::StrCat("[", target.host, "]:", port);
  return absl::StrCat(target.host, ":", port);
}

int PortNumber(const Target& target) {
  int port = 0;
  return absl::SimpleAtoi(target.port, &port) ? port : 0;
}

absl::Status Append(const std::vector<std::string>& addresses,
                    const std::shared_ptr<grpc::ServerCredentials>& credentials,
                    std::vector<Listener>* listeners) {
  for (const std::string& text : addresses) {
    absl::StatusOr<Target> target = Admit(text, credentials == nullptr);
    if (!target.ok()) return target.status();
    listeners->push_back({text, *std::move(target), credentials});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Listener>> MakeListeners(
    const std::vector<std::string>& tls,
    const std::shared_ptr<grpc::ServerCredentials>& credentials,
    const std::vector<std::string>& plaintext) {
  std::vector<Listener> listeners;
  absl::Status added = Append(tls, credentials, &listeners);
  if (added.ok()) added = Append(plaintext, nullptr, &listeners);
  if (!added.ok()) return added;
  return listeners;
}

void AddListeners(std::vector<Listener>* listeners, grpc::ServerBuilder* builder) {
  for (Listener& listener : *listeners) {
    builder->AddListeningPort(
        UriOf(listener.target, PortNumber(listener.target)),
        listener.credentials == nullptr ? grpc::InsecureServerCredentials() : listener.credentials,
        &listener.port);
  }
}

absl::Status CheckBound(const std::vector<Listener>& listeners, bool started) {
  for (const Listener& listener : listeners) {
    if (listener.port != 0) continue;
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on \"", listener.text,
        "\": the address is in use, is not this machine's, or may not be opened by this user"));
  }
  return started ? absl::OkStatus() : absl::UnavailableError("cannot start the gRPC server");
}

std::string ListenUri(const Listener& listener) { return UriOf(listener.target, listener.port); }

}  // namespace xebec::rpc
