// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace xebec {

/// Immutable bytes that copies share, in one allocation with their size and the number of their
/// users: 8 bytes more than the bytes themselves. A std::shared_ptr<const std::string> needs 48
/// more, which counts for a table of many objects. A value; copies belong to any threads.
class SharedBytes {
 public:
  /// No bytes.
  SharedBytes() = default;
  /// A copy of `first` and `second`, one after the other; together less than 4 GiB.
  SharedBytes(std::string_view first, std::string_view second);
  SharedBytes(const SharedBytes& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->users.fetch_add(1, std::memory_order_relaxed);
  }
  SharedBytes(SharedBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedBytes();

  std::string_view view() const {
    return block_ == nullptr ? std::string_view() : std::string_view(Data(block_), block_->size);
  }
  /// The number of values that share the bytes; 0 without bytes.
  uint32_t users() const {
    return block_ == nullptr ? 0 : block_->users.load(std::memory_order_relaxed);
  }

  bool operator==(const SharedBytes& other) const {
    return block_ == other.block_ || view() == other.view();
  }

 private:
  struct Block {
    std::atomic<uint32_t> users;
    uint32_t size;
  };
  /// The bytes follow the block.
  static char* Data(Block* block) { return reinterpret_cast<char*>(block + 1); }

  Block* block_ = nullptr;
};

}  // namespace xebec
