// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_dispatcher.h"

#include <thread>

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// Receives nothing and calls nobody.
class NoProtocol : public StreamProtocol {
 public:
  absl::StatusOr<std::string> Handshake(const std::shared_ptr<grpc::Channel>&, grpc::ClientContext*,
                                        const Address&) override {
    return "";
  }
  std::unique_ptr<MessageStream> Open(const std::shared_ptr<grpc::Channel>&,
                                      grpc::ClientContext*) override {
    return nullptr;
  }
  void OnAnswer(Answer) override {}
  void OnUnsent(Request, const std::string&) override {}
  void OnLost(uint64_t, const std::string&) override {}
  void OnCredits(uint32_t) override {}
};

// An address leaves DNS at the moment in which its connection breaks.
TEST(StreamDispatcher, AStreamThatHasJustEndedIsDrainedWithoutHarm) {
  StreamDispatcher dispatcher({}, std::make_unique<NoProtocol>());
  dispatcher.Add(1);
  dispatcher.Remove(1, "gone");
  dispatcher.Drain(1);
}

TEST(StreamDispatcher, AWakeWhileTheClockIsBusyIsNotLost) {
  StreamDispatcher dispatcher({}, std::make_unique<NoProtocol>());
  dispatcher.Wake();
  dispatcher.Expire();
  std::thread clock([&] { dispatcher.AwaitWork(absl::InfiniteDuration()); });
  clock.join();  // a lost wake-up hangs here
}

}  // namespace
}  // namespace xebec::rpc
