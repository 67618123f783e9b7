// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"

namespace xebec::tls {

/// A file in memory with a path for readers of this process alone (memfd_create(2), proc(5)). Until
/// the first Write it cannot be opened; afterwards whoever opens it sees one whole content.
/// Writes come from one thread; readers may be anywhere.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Exchanges the content at once. INTERNAL when the kernel has none of it: the old one stays.
  absl::Status Write(const std::string& content);

  std::string path() const;

 private:
  const int fd_;  // stays the same number: what it refers to is exchanged
};

}  // namespace xebec::tls
