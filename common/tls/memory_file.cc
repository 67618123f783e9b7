// SPDX-License-Identifier: Apache-2.0
#include "common/tls/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace xebec::tls {
namespace {

constexpr unsigned kNoExec = 0x0008;  // MFD_NOEXEC_SEAL, which some kernels require

absl::Status Failure(absl::string_view what, int error) {
  return absl::ErrnoToStatus(error != 0 ? error : EIO, absl::StrCat("a file in memory: ", what));
}

int Make() {
  const int fd = memfd_create("xebec", MFD_CLOEXEC | kNoExec);
  return fd < 0 && errno == EINVAL ? memfd_create("xebec", MFD_CLOEXEC) : fd;
}

/// 0, or the errno of the failure.
int WriteAll(int fd, const std::string& content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t wrote = write(fd, content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return wrote < 0 ? errno : EIO;
    done += static_cast<size_t>(wrote);
  }
  return 0;
}

}  // namespace

absl::StatusOr<MemoryFile::Draft> MemoryFile::Draft::Of(const std::string& content) {
  Draft draft(Make());
  if (draft.fd_ < 0) return Failure("memfd_create", errno);
  if (const int error = WriteAll(draft.fd_, content); error != 0) return Failure("write", error);
  return draft;
}

MemoryFile::Draft::~Draft() {
  if (fd_ >= 0) close(fd_);
}

// A socket reserves the file descriptor. Its path cannot be opened.
MemoryFile::MemoryFile() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

// NOLINTNEXTLINE(readability-make-member-function-const): what can be read is changed.
absl::Status MemoryFile::Exchange(const Draft& draft) {
  if (fd_ < 0) return absl::ResourceExhaustedError("a file in memory: no file descriptor is free");
  return dup3(draft.fd_, fd_, O_CLOEXEC) < 0 ? Failure("dup3", errno) : absl::OkStatus();
}

std::string MemoryFile::path() const { return absl::StrCat("/proc/self/fd/", fd_); }

}  // namespace xebec::tls
