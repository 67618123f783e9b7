// SPDX-License-Identifier: Apache-2.0
#include "common/base/shared_bytes.h"

#include <algorithm>
#include <memory>
#include <new>

namespace xebec {

SharedBytes::SharedBytes(std::string_view first, std::string_view second) {
  const size_t size = first.size() + second.size();
  char* memory = std::allocator<char>().allocate(sizeof(Block) + size);
  block_ = new (memory) Block{1, static_cast<uint32_t>(size)};
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), Data(block_)));
}

SharedBytes::~SharedBytes() {
  if (block_ == nullptr || block_->users.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const size_t size = sizeof(Block) + block_->size;
  block_->~Block();
  // With the size, the allocator need not look it up.
  std::allocator<char>().deallocate(reinterpret_cast<char*>(block_), size);
}

}  // namespace xebec
