// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/call_places.h"
#include "common/rpc/server/service.h"
#include "common/rpc/telemetry/call_observer.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/async_generic_service.h"

namespace xebec::rpc {

class ServerStream;

/// A method with the events that the observer gets, made once because messages are frequent.
struct ServedMethod {
  HandlerFactory open;
  bool unary = false;
  bool side = false;  ///< Its calls are side calls (CallPlaces).
  CallEvent started, received, sent, handled;
};

/// The shared state of the calls of one server: the methods, the completion queue, and the open
/// calls with their places. Thread-safe.
class CallDesk {
 public:
  struct Options {
    std::vector<Method> methods;
    std::vector<Method> side_methods;  ///< Of the services whose calls are side calls.
    CallObserver observer;
    size_t max_calls = 0;
    size_t max_message_bytes = 0;
  };
  explicit CallDesk(Options options);

  /// To be registered with the server before it starts.
  grpc::AsyncGenericService* generic() { return &generic_; }

  /// Takes calls from now on. `await_call` makes the next call wait for its arrival. `queue` and
  /// the server outlive all calls.
  void Begin(grpc::ServerCompletionQueue* queue, std::function<void()> await_call);

  /// Ends the calls that CallPlaces would let give way, and refuses all calls from now on.
  void EndHeldCalls() ABSL_LOCKS_EXCLUDED(mu_);

  /// Waits until no call is open and none can arrive. The server has been shut down before.
  void AwaitQuiet() ABSL_LOCKS_EXCLUDED(mu_);

  /// Returns nullptr for an unknown method.
  const ServedMethod* Find(const std::string& path) const;
  void Observe(const CallEvent& event) const;
  size_t max_message_bytes() const { return max_message_bytes_; }
  grpc::ServerCompletionQueue* queue() { return queue_; }

  // Called by each ServerCall, in this order:
  /// The call that was awaited has arrived, or (`ok` is false) the server stops. Awaits the next
  /// one.
  void Arrive(bool ok) ABSL_LOCKS_EXCLUDED(mu_);
  /// Gives the call a place, for which it may end an older call. Returns the status with which the
  /// call is refused, or OK.
  grpc::Status Admit(const std::shared_ptr<ServerStream>& call, const ServedMethod& method)
      ABSL_LOCKS_EXCLUDED(mu_);
  /// The request of a unary call that is no side call has arrived. Returns as Admit.
  grpc::Status Serve(const std::shared_ptr<ServerStream>& call) ABSL_LOCKS_EXCLUDED(mu_);
  /// The call has ended.
  void Leave(const std::shared_ptr<ServerStream>& call) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  const size_t max_message_bytes_;
  const CallObserver observer_;
  std::map<std::string, ServedMethod> methods_;
  grpc::AsyncGenericService generic_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  std::function<void()> await_call_;

  Mutex mu_;
  CondVar quiet_;
  CallPlaces<std::shared_ptr<ServerStream>> places_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  size_t open_ ABSL_GUARDED_BY(mu_) = 0;
  size_t awaited_ ABSL_GUARDED_BY(mu_) = 0;
};

/// The names of the services that have these methods, sorted.
std::set<std::string> ServiceNames(const std::vector<Method>& methods);

}  // namespace xebec::rpc
