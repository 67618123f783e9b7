// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/followers.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
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

/// The first message of a stream waits until the test lets it go, the last but one until another
/// thread has handled the last one.
class Crowd final : public Service {
 public:
  static constexpr int kMessages = 3 * BusyStreak::kBusy;

  std::vector<Method> methods() override {
    return {{"/xebec.v1.PlannerService/PlanStream", "bidi_stream",
             [this](std::shared_ptr<ServerStream> stream) {
               return std::make_shared<Handler>(this, std::move(stream));
             }}};
  }

  absl::Notification entered, go, last;
  bool helped = false;  ///< Read after the stream has ended.

 private:
  class Handler final : public StreamHandler {
   public:
    Handler(Crowd* crowd, std::shared_ptr<ServerStream> stream)
        : crowd_(crowd), stream_(std::move(stream)) {}
    void OnOpen() override { stream_->Read(); }
    void OnRead(grpc::ByteBuffer* message) override {
      if (message == nullptr) return stream_->Finish(grpc::Status::OK);
      const int number = ++messages_;
      stream_->Read();
      crowd_->Handle(number);
    }

   private:
    Crowd* const crowd_;
    const std::shared_ptr<ServerStream> stream_;
    std::atomic<int> messages_{0};
  };

  void Handle(int number) {
    if (number == 1) {
      entered.Notify();
      go.WaitForNotificationWithTimeout(kTestTimeout);
    }
    if (number == kMessages - 1) helped = last.WaitForNotificationWithTimeout(kTestTimeout);
    if (number == kMessages) last.Notify();
  }
};

TEST(Server, AFollowerHelpsAsSoonAsEventsWait) {
  Crowd crowd;
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.threads = 2;
  const auto server = Server::Start(options, {&crowd}).value();
  const auto stub = v1::PlannerService::NewStub(MakeChannel({server->addresses()[0], ""}, {}));
  const auto context = MakeCallContext(kTestTimeout);
  const auto stream = stub->PlanStream(context.get());
  ASSERT_TRUE(stream->Write({}));
  ASSERT_TRUE(crowd.entered.WaitForNotificationWithTimeout(kTestTimeout));
  for (int i = 1; i < Crowd::kMessages; ++i) ASSERT_TRUE(stream->Write({}));
  crowd.go.Notify();
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  server->Stop(kTestTimeout);
  EXPECT_TRUE(crowd.helped);
}

}  // namespace
}  // namespace xebec::rpc
