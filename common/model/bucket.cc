// SPDX-License-Identifier: Apache-2.0
#include "common/model/bucket.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/model/bucket_ranges.h"

namespace xebec {
namespace {

// https://datatracker.ietf.org/doc/draft-eastlake-fnv: 64 bits.
constexpr uint64_t kFnvBasis = 14695981039346656037u;
constexpr uint64_t kFnvPrime = 1099511628211u;

}  // namespace

uint32_t BucketOf(std::string_view uid, uint32_t count) {
  uint64_t hash = kFnvBasis;
  for (const char c : uid) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  // Uses the high half, whose product with a 32-bit count does not overflow.
  return static_cast<uint32_t>(((hash >> 32) * count) >> 32);
}

BucketSet BucketSet::All(uint32_t count) {
  BucketSet all(count);
  all.bits_.assign(count, true);
  all.size_ = count;
  return all;
}

bool BucketSet::Covers(const BucketSet& other) const {
  if (count() != other.count()) return false;
  for (uint32_t bucket = 0; bucket < count(); ++bucket) {
    if (other.bits_[bucket] && !bits_[bucket]) return false;
  }
  return true;
}

void BucketSet::Add(uint32_t bucket) {
  if (!bits_[bucket]) ++size_;
  bits_[bucket] = true;
}

void BucketSet::Add(const BucketSet& other) {
  for (const uint32_t bucket : other.ToVector()) Add(bucket);
}

void BucketSet::Remove(uint32_t bucket) {
  if (!Contains(bucket)) return;
  bits_[bucket] = false;
  --size_;
}

void BucketSet::Remove(const BucketSet& other) {
  for (const uint32_t bucket : other.ToVector()) Remove(bucket);
}

BucketSet BucketSet::And(const BucketSet& other) const {
  BucketSet both(count());
  if (other.count() != count()) return both;
  for (const uint32_t bucket : ToVector()) {
    if (other.Contains(bucket)) both.Add(bucket);
  }
  return both;
}

std::vector<uint32_t> BucketSet::ToVector() const {
  std::vector<uint32_t> all;
  all.reserve(size_);
  for (uint32_t bucket = 0; bucket < count(); ++bucket) {
    if (bits_[bucket]) all.push_back(bucket);
  }
  return all;
}

std::string BucketSet::ToText() const {
  std::string text;
  for (const auto& [first, end] : RangesOf(*this)) {
    absl::StrAppend(&text, text.empty() ? "" : ",", first);
    if (end - first > 1) absl::StrAppend(&text, "-", end - 1);
  }
  return text;
}

std::vector<BucketRange> RangesOf(const BucketSet& set) {
  std::vector<BucketRange> ranges;
  for (const uint32_t bucket : set.ToVector()) {
    if (ranges.empty() || ranges.back().end != bucket) ranges.push_back({bucket, bucket});
    ++ranges.back().end;
  }
  return ranges;
}

std::optional<BucketSet> BucketSet::Parse(std::string_view text, uint32_t count) {
  BucketSet set(count);
  if (text.empty()) return set;
  for (const absl::string_view range :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(range, '-');
    uint32_t first = 0;
    uint32_t last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || first > last || last >= count) {
      return std::nullopt;
    }
    for (uint32_t bucket = first; bucket <= last; ++bucket) {
      if (set.Contains(bucket)) return std::nullopt;
      set.Add(bucket);
    }
  }
  return set;
}

}  // namespace xebec
