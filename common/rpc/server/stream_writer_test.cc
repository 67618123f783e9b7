// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/stream_writer.h"

#include <vector>

#include "common/rpc/testing/fake_services.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// A stream whose peer can stop reading or go away.
struct Peer {
  bool reads = true;
  bool alive = true;
  std::vector<int> got;
};

class StreamWriterTest : public testing::Test {
 protected:
  bool Write(int message) {
    peer_.Await([](const Peer& peer) { return peer.reads || !peer.alive; });
    return peer_.With([message](Peer& peer) {
      if (peer.alive) peer.got.push_back(message);
      return peer.alive;
    });
  }
  std::vector<int> Got() {
    return peer_.With([](Peer& peer) { return peer.got; });
  }

  Watched<Peer> peer_;
};

TEST_F(StreamWriterTest, MessagesAreWrittenInOrderAndFinishWaitsForThem) {
  StreamWriter<int> writer([this](int message) { return Write(message); }, 2, "writer");
  for (int message : {1, 2, 3, 4, 5}) EXPECT_TRUE(writer.Push(message));
  writer.Finish();
  EXPECT_THAT(Got(), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_FALSE(writer.Push(6));
}

TEST_F(StreamWriterTest, APeerThatDoesNotReadHoldsPushUp) {
  peer_.With([](Peer& peer) { return peer.reads = false; });
  StreamWriter<int> writer([this](int message) { return Write(message); }, 2, "writer");
  Watched<int> pushed;
  std::thread pusher([&] {
    for (int message = 0; message < 10; ++message) {
      writer.Push(message);
      pushed.With([](int& count) { return ++count; });
    }
  });
  ASSERT_TRUE(pushed.Await([](int count) { return count >= 2; }));
  EXPECT_LE(pushed.With([](int count) { return count; }), 3) << "two queued, one being written";
  peer_.With([](Peer& peer) { return peer.reads = true; });
  pusher.join();
  writer.Finish();
  EXPECT_THAT(Got(), SizeIs(10));
}

TEST_F(StreamWriterTest, ABrokenStreamLetsPushersGo) {
  peer_.With([](Peer& peer) { return peer.reads = false; });
  StreamWriter<int> writer([this](int message) { return Write(message); }, 1, "writer");
  std::thread pusher([&] {
    while (writer.Push(1)) {
    }
  });
  peer_.With([](Peer& peer) { return peer.alive = false; });
  pusher.join();
  EXPECT_FALSE(writer.Push(2)) << "the stream is broken";
}

}  // namespace
}  // namespace xebec::rpc
