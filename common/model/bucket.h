// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xebec {

/// The most buckets that an installation can have.
inline constexpr uint32_t kMaxBuckets = 1024;

/// Returns the bucket of a parent, of `count` buckets (at least 1). It never changes for a parent.
/// Each bucket is a range of the FNV-1a hash of the uid, as in KEP-5866.
uint32_t BucketOf(std::string_view uid, uint32_t count);

/// A set of the buckets 0 to count-1. A value.
class BucketSet {
 public:
  BucketSet() = default;
  /// The empty set of `count` buckets.
  explicit BucketSet(uint32_t count) : bits_(count) {}
  /// All of `count` buckets.
  static BucketSet All(uint32_t count);
  /// Reads the form of ToText. nullopt if the text has another form, or names a bucket twice or one
  /// that is not below `count`.
  static std::optional<BucketSet> Parse(std::string_view text, uint32_t count);

  uint32_t count() const { return static_cast<uint32_t>(bits_.size()); }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == count(); }
  /// False for buckets that are not below count().
  bool Contains(uint32_t bucket) const { return bucket < bits_.size() && bits_[bucket]; }
  /// True if the parent with this uid is in a bucket of the set.
  bool ContainsUid(std::string_view uid) const { return Contains(BucketOf(uid, count())); }
  /// True if the counts are equal and all buckets of `other` are in this set.
  bool Covers(const BucketSet& other) const;
  /// The bucket must be below count().
  void Add(uint32_t bucket);
  void Add(const BucketSet& other);
  void Remove(uint32_t bucket);
  void Remove(const BucketSet& other);
  /// Returns the buckets of both sets; the empty set if the counts differ.
  BucketSet And(const BucketSet& other) const;
  /// In ascending order.
  std::vector<uint32_t> ToVector() const;
  /// As ranges: "0-3,7"; empty for the empty set.
  std::string ToText() const;

  bool operator==(const BucketSet&) const = default;

 private:
  std::vector<bool> bits_;
  uint32_t size_ = 0;
};

}  // namespace xebec
