// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/rpc/discovery/address.h"
#include "common/rpc/server/server.h"
#include "xebec/v1/applier.grpc.pb.h"
#include "xebec/v1/planner.grpc.pb.h"

/// Fake planners and appliers for the tests of streams.
namespace xebec::rpc {

/// The time after which a test gives up waiting. A successful test never depends on it.
inline constexpr absl::Duration kTestTimeout = absl::Seconds(60);

/// A state whose changes tests can wait for. Thread-safe.
template <typename State>
class Watched {
 public:
  template <typename Change>
  auto With(Change change) {
    MutexLock lock(&mu_);
    changed_.NotifyAll();
    return change(state_);
  }
  /// Waits until `condition` holds. Returns false after the timeout.
  bool Await(const std::function<bool(const State&)>& condition,
             absl::Duration timeout = kTestTimeout) {
    MutexLock lock(&mu_);
    while (!condition(state_)) {
      if (changed_.WaitFor(&mu_, timeout)) return condition(state_);
    }
    return true;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  State state_ ABSL_GUARDED_BY(mu_){};
};

/// The behavior of a fake peer.
enum class Manner {
  kAnswer,       ///< Answers at once.
  kHold,         ///< Answers heartbeats, and requests only after Release.
  kRefuse,       ///< Answers with an error.
  kMute,         ///< Reads and sends nothing, not even answers to heartbeats.
  kUnavailable,  ///< Applier: reports at once that it cannot carry out any plan.
};

/// A planner whose plans contain only the observation's envelope.
class FakePlanner : public Service {
 public:
  explicit FakePlanner(std::string revision) : revision_(std::move(revision)) {}

  std::vector<Method> methods() override;

  void SetManner(Manner manner);
  /// Answers all waiting requests.
  void Release();
  bool AwaitReceived(size_t count);
  size_t received();
  size_t streams();

 private:
  struct State {
    Manner manner = Manner::kAnswer;
    size_t received = 0;
    size_t streams = 0;
    std::vector<std::pair<ServerStream*, v1::PlanStreamResponse>> held;
  };
  void Handle(ServerStream* stream, const v1::PlanStreamRequest& request);

  const std::string revision_;
  Watched<State> state_;
};

/// An applier that writes nothing.
class FakeApplier : public Service {
 public:
  explicit FakeApplier(uint32_t credits) : credits_(credits) {}

  std::vector<Method> methods() override;

  void SetManner(Manner manner);
  /// Answers one waiting plan, with a credit.
  void ReleaseOne();
  bool AwaitReceived(size_t count);
  size_t received();
  /// The largest number of unanswered plans on one stream so far.
  size_t most_at_once();
  /// True if the sequences increased on every stream so far.
  bool in_order();
  /// True if every plan so far contained its sender's capabilities.
  bool capable();

 private:
  struct State {
    Manner manner = Manner::kAnswer;
    size_t received = 0;
    size_t most_at_once = 0;
    bool in_order = true;
    bool capable = true;
    std::map<ServerStream*, uint64_t> last;
    std::map<ServerStream*, size_t> open;
    std::vector<std::pair<ServerStream*, v1::ApplyStreamResponse>> held;
  };
  void Handle(ServerStream* stream, const v1::ApplyStreamRequest& request);

  const uint32_t credits_;
  Watched<State> state_;
};

/// A server on a unix socket that can be killed and started again at the same path.
class FakeHost {
 public:
  FakeHost(std::string path, Service* service);
  void Start();
  /// Breaks all connections.
  void Kill();
  Address address() const { return {"unix:" + path_, ""}; }
  std::string target() const { return "unix:" + path_; }

 private:
  const std::string path_;
  Service* const service_;
  std::unique_ptr<Server> server_;
};

/// Returns a socket path that no other test uses.
std::string SocketPath(const std::string& name);

}  // namespace xebec::rpc
