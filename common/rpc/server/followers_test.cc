// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/followers.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "common/base/clock.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/rpc/testing/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

TEST(BusyStreak, AThreadNeedsHelpWhenManyEventsInARowWereThereAlready) {
  BusyStreak busy;
  for (int i = 1; i < BusyStreak::kBusy; ++i) EXPECT_FALSE(busy.Next(/*waited=*/false));
  EXPECT_TRUE(busy.Next(false));
  EXPECT_TRUE(busy.Next(false));
  EXPECT_FALSE(busy.Next(true));
  EXPECT_FALSE(busy.Next(false));
}

TEST(Followers, ACallThatNobodyWaitsForIsNotKept) {
  Followers followers;
  followers.Call();
  followers.Dismiss();
  EXPECT_FALSE(followers.AwaitCall());
}

TEST(Followers, EachCallWakesOneUntilTheyAreDismissed) {
  Followers followers;
  followers.BeginWait();  // a thread waits for events, so only a call wakes a follower
  Watched<int> calls;
  std::thread follower([&] {
    while (followers.AwaitCall()) calls.With([](int& count) { ++count; });
  });
  const auto awaited = [&](int count) {
    return calls.Await([count](int now) { return now >= count; }, absl::Milliseconds(1));
  };
  for (int i = 1; i <= 3; ++i) {
    int tries = 0;
    while (!awaited(i) && ++tries < 5'000) followers.Call();
    EXPECT_LT(tries, 5'000);
  }
  followers.Dismiss();
  follower.join();
}

TEST(Followers, OneNoticesThatNobodyWaitsForEvents) {
  Followers followers;
  followers.BeginWait();
  followers.EndWait();  // the leader handles an event, for long
  EXPECT_TRUE(followers.AwaitCall());
}

/// A service that handles the messages of its streams in parallel, each with its number.
class Numbering final : public Service {
 public:
  using Handle = std::function<void(int number)>;
  explicit Numbering(Handle handle) : handle_(std::move(handle)) {}

  std::vector<Method> methods() override {
    return {{"/xebec.v1.PlannerService/PlanStream", "bidi_stream",
             [this](std::shared_ptr<ServerStream> stream) {
               return std::make_shared<Handler>(handle_, std::move(stream));
             }}};
  }

 private:
  class Handler final : public StreamHandler {
   public:
    Handler(const Handle& handle, std::shared_ptr<ServerStream> stream)
        : handle_(handle), stream_(std::move(stream)) {}
    void OnOpen() override { stream_->Read(); }
    void OnRead(grpc::ByteBuffer* message) override {
      if (message == nullptr) return stream_->Finish(grpc::Status::OK);
      const int number = ++messages_;
      stream_->Read();
      handle_(number);
    }

   private:
    const Handle& handle_;
    const std::shared_ptr<ServerStream> stream_;
    std::atomic<int> messages_{0};
  };

  const Handle handle_;
};

class FollowedServer : public testing::Test {
 protected:
  void Start(Service* service) {
    ServerOptions options;
    options.listen = {"unix:" + SocketPath("s")};
    options.threads = 2;
    server_ = Server::Start(options, {service}).value();
    planner_ = v1::PlannerService::NewStub(MakeChannel({server_->addresses()[0], ""}, {}));
    stream_ = planner_->PlanStream(context_.get());
  }
  void Finish() {
    stream_->WritesDone();
    EXPECT_TRUE(stream_->Finish().ok());
    server_->Stop(kTestTimeout);
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<v1::PlannerService::Stub> planner_;
  std::unique_ptr<grpc::ClientContext> context_ = MakeCallContext(kTestTimeout);
  std::unique_ptr<grpc::ClientReaderWriter<v1::PlanStreamRequest, v1::PlanStreamResponse>> stream_;
};

TEST_F(FollowedServer, AFollowerHelpsWhileAHandlerBlocks) {
  constexpr int kMessages = 3 * BusyStreak::kBusy;
  absl::Notification entered, go, last;
  bool helped = false;
  Numbering service([&](int number) {
    if (number == 1) {
      entered.Notify();
      go.WaitForNotificationWithTimeout(kTestTimeout);
    }
    if (number == kMessages - 1) helped = last.WaitForNotificationWithTimeout(kTestTimeout);
    if (number == kMessages) last.Notify();
  });
  Start(&service);
  ASSERT_TRUE(stream_->Write({}));
  ASSERT_TRUE(entered.WaitForNotificationWithTimeout(kTestTimeout));
  for (int i = 1; i < kMessages; ++i) ASSERT_TRUE(stream_->Write({}));
  go.Notify();
  Finish();
  EXPECT_TRUE(helped);
}

TEST_F(FollowedServer, AFollowerHelpsWhileEventsWaitAndNoHandlerTakesLong) {
  Watched<std::set<std::thread::id>> threads;
  Numbering service([&](int) {
    threads.With([](auto& seen) { seen.insert(std::this_thread::get_id()); });
    // Slower than the client, so that messages wait, and far below Followers::kLook.
    const absl::Duration until = ReadClock().monotonic + absl::Microseconds(200);
    while (ReadClock().monotonic < until) continue;
  });
  Start(&service);
  const absl::Duration until = ReadClock().monotonic + absl::Seconds(20);
  const auto both = [](const auto& seen) { return seen.size() == 2; };
  while (!threads.With(both) && ReadClock().monotonic < until) ASSERT_TRUE(stream_->Write({}));
  EXPECT_TRUE(threads.With(both));
  Finish();
}

}  // namespace
}  // namespace xebec::rpc
