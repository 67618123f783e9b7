// SPDX-License-Identifier: Apache-2.0
#include "planner/service/wiring.h"

#include <unistd.h>

#include <latch>
#include <set>
#include <thread>

#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "common/rpc/streams/planner_streams.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::planner {
namespace {

using ::testing::HasSubstr;

/// A planner process within the test, on a unix socket.
class RunningPlanner {
 public:
  explicit RunningPlanner(Settings settings)
      : thread_([this, settings] {
          status_ = RunPlanner(settings, ThisRelease(), [this] {
            stop_.wait();
            return "test";
          });
        }) {}
  absl::Status Stop() {
    stop_.count_down();
    thread_.join();
    return status_;
  }

 private:
  std::latch stop_{1};
  absl::Status status_;
  std::thread thread_;
};

Settings OnSocket(const std::string& path) {
  Settings settings;
  settings.listen = {"unix:" + path};
  settings.metrics_listen = "127.0.0.1:0";
  return settings;
}

Observation ObserveIris(uint64_t sequence) {
  Observation observation;
  observation.envelope.sequence = sequence;
  observation.envelope.controller = "iris.test.myardyas.club";
  const std::string name = "iris-" + std::to_string(sequence);
  observation.parent =
      MakeObjectBytes(R"({"apiVersion":"test.myardyas.club/v1alpha1","kind":"Iris","metadata":)"
                      R"({"name":")" +
                      name + R"(","namespace":"default"}})");
  return observation;
}

/// Counts what comes back from planners.
class Ledger {
 public:
  rpc::PlannerCallbacks Callbacks() {
    rpc::PlannerCallbacks callbacks;
    callbacks.on_plan = [this](uint64_t sequence, const Plan& plan) {
      MutexLock lock(&mu_);
      if (plan.verdict == Verdict::kOk && CountOperations(plan) == 1) planned_.insert(sequence);
      changed_.NotifyAll();
    };
    callbacks.on_failed = [this](uint64_t, const std::string& message, bool) {
      MutexLock lock(&mu_);
      failure_ = message;
      changed_.NotifyAll();
    };
    callbacks.on_credits = [](uint32_t) {};
    callbacks.on_description = [](const PlannerDescription&, const std::string&) {};
    return callbacks;
  }
  size_t AwaitPlans(size_t count) {
    MutexLock lock(&mu_);
    while (planned_.size() < count && failure_.empty()) {
      if (changed_.WaitFor(&mu_, absl::Seconds(60))) break;
    }
    EXPECT_EQ(failure_, "");
    return planned_.size();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::set<uint64_t> planned_ ABSL_GUARDED_BY(mu_);
  std::string failure_ ABSL_GUARDED_BY(mu_);
};

TEST(Wiring, TheWatchersStreamsGetPlansFromAPlannerProcessAndItStopsWhenAsked) {
  const std::string path = testing::TempDir() + "planner-" + std::to_string(getpid());
  RunningPlanner planner(OnSocket(path));
  Ledger ledger;
  rpc::StreamOptions options;
  options.target = "unix:" + path;
  auto streams = rpc::PlannerStreams::Start(options, ledger.Callbacks());
  ASSERT_TRUE(streams.ok()) << streams.status();
  for (uint64_t s = 1; s <= 300; ++s) (*streams)->Send(s, ObserveIris(s), absl::Seconds(60));
  EXPECT_EQ(ledger.AwaitPlans(300), 300u);
  const absl::Status stopped = planner.Stop();
  EXPECT_TRUE(stopped.ok()) << stopped;
}

TEST(Wiring, APlaintextListenerOnAnotherAddressThanLoopbackIsRefused) {
  Settings settings = OnSocket(testing::TempDir() + "unused");
  settings.listen.push_back("0.0.0.0:7443");
  const absl::Status status = RunPlanner(settings, ThisRelease(), [] { return "never"; });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr("0.0.0.0:7443"));
}

TEST(Wiring, SettingsArePrintedAsTheyAreRead) {
  Settings settings;
  config::Binder binder("xebec-planner", "", "");
  Bind(settings, binder);
  const char* const arguments[] = {"xebec-planner", "--listen", "127.0.0.1:1,unix:/x",
                                   "--reflection=false"};
  ASSERT_TRUE(binder.Load(4, arguments, {}).ok());
  EXPECT_THAT(settings.listen, testing::ElementsAre("127.0.0.1:1", "unix:/x"));
  EXPECT_FALSE(settings.reflection);
  EXPECT_THAT(binder.Print(), HasSubstr("reflection: false"));
  EXPECT_TRUE(Validate(settings).ok());
  settings.listen.clear();
  EXPECT_THAT(std::string(ToStd(Validate(settings).message())), HasSubstr("listen"));
}

}  // namespace
}  // namespace xebec::planner
