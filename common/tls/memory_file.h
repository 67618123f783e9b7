// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace xebec::tls {

/// A file in memory with a path for readers of this process alone (memfd_create(2), proc(5)). Until
/// the first Exchange it cannot be opened; afterwards whoever opens it sees one whole content.
/// Exchanges come from one thread; readers may be anywhere.
class MemoryFile {
 public:
  /// A content that is to be exchanged in.
  class Draft {
   public:
    /// The kernel's error when it has no room.
    static absl::StatusOr<Draft> Of(const std::string& content);
    Draft(Draft&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Draft& operator=(Draft&&) = delete;
    ~Draft();

   private:
    friend class MemoryFile;
    explicit Draft(int fd) : fd_(fd) {}
    int fd_;
  };

  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// At once; never fails for want of room.
  absl::Status Exchange(const Draft& draft);

  std::string path() const;

 private:
  const int fd_;  // stays the same number: what it refers to is exchanged
};

}  // namespace xebec::tls
