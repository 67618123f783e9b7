// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_set.h"

#include <algorithm>
#include <set>

namespace xebec::rpc {

// A StreamId consists of the number of the stream and the number of the connection.
PeerStream* StreamSet::Find(StreamId connection) {
  const auto it = streams_.find(static_cast<uint32_t>(connection >> 32));
  if (it == streams_.end() || !it->second.connection()) return nullptr;
  return it->second.connection()->id == connection ? &it->second : nullptr;
}

std::vector<PeerStream*> StreamSet::EndAllBut(const std::vector<Address>& wanted) {
  std::vector<PeerStream*> ended;
  for (auto& [number, stream] : streams_) {
    if (std::count(wanted.begin(), wanted.end(), stream.address()) > 0) continue;
    stream.End();
    ended.push_back(&stream);
  }
  return ended;
}

void StreamSet::Fill(const std::vector<Address>& wanted, uint32_t streams_per_address) {
  for (const Address& address : std::set<Address>(wanted.begin(), wanted.end())) {
    auto streams = std::count_if(streams_.begin(), streams_.end(), [&](const auto& entry) {
      return !entry.second.ending() && entry.second.address() == address;
    });
    for (; streams < streams_per_address; ++streams) {
      streams_.emplace(++last_number_, PeerStream(address, static_cast<uint32_t>(seeds_())));
    }
  }
}

void StreamSet::RemoveEnded() {
  std::erase_if(streams_, [](const auto& entry) {
    return entry.second.ending() && !entry.second.connection();
  });
}

}  // namespace xebec::rpc
