// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/lane_hub.h"

#include <thread>

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// Hears nothing and calls nobody.
class NoProtocol : public LaneProtocol {
 public:
  absl::StatusOr<std::string> Greet(const std::shared_ptr<grpc::Channel>&, grpc::ClientContext*,
                                    const Address&) override {
    return "";
  }
  std::unique_ptr<LaneStream> Open(const std::shared_ptr<grpc::Channel>&,
                                   grpc::ClientContext*) override {
    return nullptr;
  }
  void OnAnswer(Answer) override {}
  void OnUnsent(Parcel, const std::string&) override {}
  void OnLost(uint64_t, const std::string&) override {}
  void OnCapacity(uint32_t) override {}
};

// An address leaves DNS at the moment in which its connection breaks.
TEST(LaneHub, ALaneThatHasJustEndedIsDrainedWithoutHarm) {
  LaneHub hub({}, std::make_unique<NoProtocol>());
  hub.Enlist(1);
  hub.Discharge(1, "gone");
  hub.Drain(1);
}

TEST(LaneHub, ANudgeWhileTheClockLooksAroundIsNotLost) {
  LaneHub hub({}, std::make_unique<NoProtocol>());
  hub.Nudge();
  hub.Expire();
  std::thread clock([&] { hub.AwaitWork(absl::InfiniteDuration()); });
  clock.join();  // a lost nudge hangs here
}

}  // namespace
}  // namespace xebec::rpc
