// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/stream_credits.h"

#include <algorithm>

namespace xebec::applier {

uint32_t StreamCredits::Give(Stream* stream, uint32_t wanted) {
  const uint32_t room = total_ - std::min(total_, granted_);
  const uint32_t least = stream->credits == 0 ? 1 : 0;
  const uint32_t most = std::min(per_stream_, wanted);
  const uint32_t missing = most - std::min(most, stream->credits);
  const uint32_t given = std::max(least, std::min(room, missing));
  granted_ += given;
  stream->credits += given;
  stream->needs_more = given < missing;
  return given;
}

/// The credits of each stream if all are busy.
uint32_t StreamCredits::Share() const {
  const auto streams = static_cast<uint32_t>(std::max<size_t>(1, streams_.size()));
  return std::max(1u, total_ / streams);
}

/// True if a stream has more credits than it will soon need.
bool StreamCredits::Idle(const Stream& stream) const {
  return granted_ > total_ / 2 && stream.credits > stream.plans + kFirst;
}

std::vector<StreamCredits::Grant> StreamCredits::Open(StreamKey stream) {
  const uint32_t given = Give(&streams_[stream], kFirst);
  if (given == 0) return {};
  return {{stream, given}};
}

std::vector<StreamCredits::Grant> StreamCredits::Use(StreamKey stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  ++found->second.plans;
  const uint32_t given = Give(&found->second, found->second.credits + 1);
  if (given == 0) return {};
  return {{stream, given}};
}

StreamCredits::Ended StreamCredits::End(StreamKey stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  Stream& ended = found->second;
  if (ended.plans > 0) --ended.plans;
  if (ended.plans < ended.credits / 2) ended.needs_more = false;
  if (Idle(ended)) {
    --ended.credits;
    --granted_;
    return {.returned = false};
  }
  const uint32_t share = Share();
  if (ended.credits <= share) return {};
  for (auto& [key, other] : streams_) {
    if (!other.needs_more || other.credits >= share) continue;
    --ended.credits;
    ++other.credits;
    other.needs_more = false;
    return {.returned = false, .grants = {{key, 1}}};
  }
  return {};
}

std::vector<StreamCredits::Grant> StreamCredits::Close(StreamKey stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  granted_ -= found->second.credits;
  streams_.erase(found);
  std::vector<Grant> grants;
  for (auto& [other, has] : streams_) {
    const uint32_t given = Give(&has, kFirst);
    if (given > 0) grants.emplace_back(other, given);
  }
  return grants;
}

}  // namespace xebec::applier
