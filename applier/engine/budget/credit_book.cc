// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/credit_book.h"

#include <algorithm>

namespace xebec::applier {

uint32_t CreditBook::Give(uint32_t has, uint32_t wanted) {
  const uint32_t room = total_ - std::min(total_, granted_);
  const uint32_t least = has == 0 ? 1 : 0;
  const uint32_t most = std::min(per_stream_, wanted);
  const uint32_t given = std::max(least, std::min(room, most - std::min(most, has)));
  granted_ += given;
  return given;
}

std::vector<CreditBook::Grant> CreditBook::Open(StreamKey stream) {
  uint32_t& has = streams_[stream];
  const uint32_t given = Give(has, kFirst);
  has += given;
  if (given == 0) return {};
  return {{stream, given}};
}

std::vector<CreditBook::Grant> CreditBook::Use(StreamKey stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  const uint32_t given = Give(found->second, found->second + 1);
  found->second += given;
  if (given == 0) return {};
  return {{stream, given}};
}

std::vector<CreditBook::Grant> CreditBook::Close(StreamKey stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  granted_ -= found->second;
  streams_.erase(found);
  std::vector<Grant> grants;
  for (auto& [other, has] : streams_) {
    const uint32_t given = Give(has, kFirst);
    if (given == 0) continue;
    has += given;
    grants.emplace_back(other, given);
  }
  return grants;
}

}  // namespace xebec::applier
