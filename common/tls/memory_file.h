// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace xebec::tls {

/// A file in memory whose path only this process can open (memfd_create(2), proc(5)). It cannot be
/// opened before the first Exchange. Afterwards every reader that opens it sees one complete
/// content. One thread calls Exchange; readers may be on any thread.
class MemoryFile {
 public:
  /// The next content of the file.
  class Draft {
   public:
    /// Stores `content` in memory. Returns the kernel's error if there is not enough memory.
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

  /// Replaces the content atomically. Does not fail for lack of memory.
  absl::Status Exchange(const Draft& draft);

  std::string path() const;

 private:
  const int fd_;  // keeps its number when the content is replaced
};

}  // namespace xebec::tls
