// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/kube/watch_event.h"

namespace xebec::kube {
namespace {

/// A larger buffer is freed once it is empty.
constexpr size_t kKeptBytes = 64 * 1024;

}  // namespace

LineSplitter::LineSplitter(size_t max_line) : max_line_(max_line) {}

absl::Status LineSplitter::CheckLength() const {
  if (size_ <= max_line_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("watch line longer than the limit of ", max_line_, " bytes"));
}

absl::Status LineSplitter::Append(std::string_view chunk) {
  if (absl::Status fits = CheckLength(); !fits.ok()) return fits;
  const size_t needed = size_ + chunk.size() + kLinePadding;
  if (buffer_.size() < needed) buffer_.resize(std::max(needed, 2 * buffer_.size()));
  std::memcpy(buffer_.data() + size_, chunk.data(), chunk.size());
  size_ += chunk.size();
  return absl::OkStatus();
}

void LineSplitter::Consume(size_t bytes) {
  size_ -= bytes;
  if (size_ == 0 && buffer_.size() > kKeptBytes) {
    buffer_ = std::string();
  } else if (bytes > 0) {
    std::memmove(buffer_.data(), buffer_.data() + bytes, size_);
  }
}

}  // namespace xebec::kube
