// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "common/rpc/streams/peer_stream.h"

namespace xebec::rpc {

/// The streams of a pool: some to each wanted address, and those that are ending. A value. Pointers
/// to streams are valid until RemoveEnded.
class StreamSet {
 public:
  /// `seed` determines the jitter of all streams.
  explicit StreamSet(uint32_t seed) : seeds_(seed) {}

  /// Returns the stream that has this connection, or null.
  PeerStream* Find(StreamId connection);
  /// Returns a new id for a connection of the stream with this number.
  StreamId NextConnection(uint32_t number) { return StreamId{number} << 32 | ++last_connection_; }

  /// Makes the current connections to all other addresses the last ones. Returns their streams.
  std::vector<PeerStream*> EndAllBut(const std::vector<Address>& wanted);
  /// Adds streams until each of the addresses has that many that are not ending.
  void Fill(const std::vector<Address>& wanted, uint32_t streams_per_address);
  /// Removes the ending streams without a connection.
  void RemoveEnded();

  /// By their numbers.
  std::map<uint32_t, PeerStream>& all() { return streams_; }
  bool empty() const { return streams_.empty(); }

 private:
  std::minstd_rand seeds_;
  std::map<uint32_t, PeerStream> streams_;
  uint32_t last_number_ = 0;
  uint32_t last_connection_ = 0;
};

}  // namespace xebec::rpc
