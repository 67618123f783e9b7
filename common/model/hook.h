// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

/// Hooks: programs of users that decide the desired state of parents. proto/xebec/v1 documents the
/// fields (hook_gateway.proto, observation.proto).
namespace xebec {

enum class HookProtocol { kGrpc, kHttp };

/// A Service of the cluster.
struct HookService {
  std::string ns, name;
  uint32_t port = 0;
  bool operator==(const HookService&) const = default;
};

struct HookTls {
  std::string ca_bundle;    ///< PEM. Empty: the CA certificates of the system.
  std::string server_name;  ///< Empty: the host that is called.
  std::string credential;   ///< A client certificate of the gateway. Empty: none.
  bool operator==(const HookTls&) const = default;
};

/// The address of a hook.
struct HookEndpoint {
  std::variant<HookService, std::string> target;  ///< A Service, or "host:port[/path]".
  HookProtocol protocol = HookProtocol::kGrpc;
  std::optional<HookTls> tls;  ///< Absent: plaintext.
  bool operator==(const HookEndpoint&) const = default;
};
/// Returns text for users: "service team-a/web:8443", "hooks.example.com:443".
std::string Describe(const HookEndpoint& endpoint);

/// The state of a hook as the gateway knows it.
struct HookState {
  bool available = false;
  std::string revision;  ///< Of the program. Empty: unknown.
  std::string message;   ///< The reason why it is not available, for users.
  bool operator==(const HookState&) const = default;
};

/// A call of Sync or, if `known` is set, of Describe.
struct HookCall {
  std::string operator_name;
  HookEndpoint endpoint;
  std::string sync_request;  ///< xebec.hooks.v1.SyncRequest, encoded.
  /// The gateway answers when the state of the hook differs from this, or after the timeout.
  std::optional<HookState> known;
  absl::Duration timeout;
  /// The hook itself must answer, and the gateway forgets what it knows of the answer.
  bool again = false;
  bool operator==(const HookCall&) const = default;
};

enum class HookFailureCode {
  kUnavailable,  ///< No connection.
  kTimeout,      ///< No answer in time.
  kThrottled,    ///< The hook requested a delay.
  kRejected,     ///< The hook answered with another error.
  kTooLarge,     ///< The answer is larger than the limit.
  kMalformed,    ///< The answer is not a SyncResponse.
  kForbidden,    ///< The gateway's configuration does not allow the endpoint.
};
inline constexpr size_t kHookFailureCodes = 7;
/// Returns the code in UpperCamelCase: "Unavailable", "Timeout", ...
const char* Name(HookFailureCode code);

/// A call without an answer of the hook.
struct HookFailure {
  HookFailureCode code = HookFailureCode::kUnavailable;
  std::string message;  ///< The failure and the remedy, for users.
  std::optional<absl::Duration> retry_after;
  bool operator==(const HookFailure&) const = default;
};

/// The answer of the gateway to a call.
struct HookReply {
  /// A xebec.hooks.v1.SyncResponse, encoded; or the state of the hook, for a call of Describe.
  std::variant<std::string, HookFailure, HookState> result;
  std::string revision;  ///< Of the program that answered. Empty: unknown.
  bool cached = false;   ///< From the gateway's cache.
  bool operator==(const HookReply&) const = default;
};

/// The most rounds of calls for one observation: one call each, and then a plan with its answer.
inline constexpr size_t kMaxHookRounds = 6;

/// A call whose answer the planner needs.
struct HookRequest {
  std::string digest;  ///< Of the call.
  HookCall call;
  bool operator==(const HookRequest&) const = default;
};

/// The answer to a HookRequest, as a part of an observation.
struct HookAnswer {
  std::string digest;
  std::variant<std::string, HookFailure> result;  ///< As in HookReply.
  bool operator==(const HookAnswer&) const = default;
};

/// A resource that a declaration names.
struct DeclaredResource {
  std::string group, version, plural;
  std::optional<ResourceType> type;  ///< Absent while it is not known to be served.
  std::string problem;               ///< The reason why it is not readable, for users.
  bool operator==(const DeclaredResource&) const = default;
};

/// The facts that the watcher knows about the controller that a parent declares.
struct DeclarationFacts {
  std::vector<DeclaredResource> resources;
  std::string refusal;  ///< The reason why the watcher does not run the controller, or empty.
  std::optional<HookState> hook;
  uint64_t parents = 0;
  uint64_t problems = 0;  ///< Parents whose last reconcile failed.
  std::string failure;    ///< An example of what fails, for users. Empty if nothing does.
  /// No watcher runs a reconcile of the controller, and all know that its declaration is being
  /// deleted.
  bool released = false;
  bool operator==(const DeclarationFacts&) const = default;
};

}  // namespace xebec
