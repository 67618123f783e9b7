// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/backoff.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxShift = 30;
constexpr double kMaxJitter = 0.25;
constexpr uint64_t kFnvOffset = 14695981039346656037u;
constexpr uint64_t kFnvPrime = 1099511628211u;
constexpr int kFractionBits = 53;

// The finalizer of splitmix64.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

absl::Duration BackoffDelay(const Backoff& backoff, uint32_t failures, uint64_t seed) {
  const int64_t factor = int64_t{1} << std::min(failures, kMaxShift);
  const double fraction = static_cast<double>(Mix(seed + failures) >> (64 - kFractionBits)) /
                          static_cast<double>(uint64_t{1} << kFractionBits);
  return std::min(backoff.max, backoff.min * factor * (1 + kMaxJitter * fraction));
}

uint64_t Seed(std::string_view text, uint64_t number) {
  uint64_t hash = kFnvOffset;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return Mix(hash ^ number);
}

}  // namespace xebec::watcher
