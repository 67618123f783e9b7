// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_set.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

class StreamSetTest : public ::testing::Test {
 protected:
  static Address At(const std::string& uri) {
    Address address;
    address.uri = uri;
    return address;
  }
  size_t StreamsTo(const std::string& uri) {
    size_t streams = 0;
    for (const auto& [number, stream] : set_.all()) streams += stream.address() == At(uri) ? 1 : 0;
    return streams;
  }
  /// Connects the stream with this number.
  StreamId Connect(uint32_t number) {
    const StreamId id = set_.NextConnection(number);
    set_.all().at(number).Connect(id, StreamOptions(), absl::ZeroDuration());
    return id;
  }

  StreamSet set_{1};
};

TEST_F(StreamSetTest, EachAddressGetsItsStreamsOnce) {
  set_.Fill({At("a"), At("b"), At("a")}, 2);
  set_.Fill({At("a"), At("b")}, 2);
  EXPECT_EQ(StreamsTo("a"), 2u);
  EXPECT_EQ(StreamsTo("b"), 2u);
}

TEST_F(StreamSetTest, AStreamIsFoundByItsPresentConnection) {
  set_.Fill({At("a")}, 1);
  const StreamId first = Connect(1), second = set_.NextConnection(1);
  EXPECT_EQ(set_.Find(first), &set_.all().at(1));
  EXPECT_EQ(set_.Find(second), nullptr);
  set_.all().at(1).Disconnect(StreamOptions(), absl::ZeroDuration());
  EXPECT_EQ(set_.Find(first), nullptr);
}

TEST_F(StreamSetTest, AnUnwantedStreamIsRemovedWhenItsConnectionHasEnded) {
  set_.Fill({At("a"), At("b")}, 1);
  Connect(1);
  const std::vector<PeerStream*> ended = set_.EndAllBut({At("b")});
  ASSERT_EQ(ended.size(), 1u);
  set_.RemoveEnded();
  EXPECT_EQ(StreamsTo("a"), 1u) << "it is still connected";
  ended[0]->Disconnect(StreamOptions(), absl::ZeroDuration());
  set_.RemoveEnded();
  EXPECT_EQ(StreamsTo("a"), 0u);
  EXPECT_EQ(StreamsTo("b"), 1u);
}

TEST_F(StreamSetTest, AnAddressThatComesBackGetsANewStream) {
  set_.Fill({At("a")}, 1);
  Connect(1);
  set_.EndAllBut({});
  set_.Fill({At("a")}, 1);
  EXPECT_EQ(StreamsTo("a"), 2u) << "one of them is ending";
}

}  // namespace
}  // namespace xebec::rpc
