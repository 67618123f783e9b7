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

absl::Status Failure(absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat("a file in memory: ", what));
}

bool WriteAll(int fd, const std::string& content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t wrote = write(fd, content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace

// A socket keeps the number: its path cannot be opened.
MemoryFile::MemoryFile() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status MemoryFile::Write(const std::string& content) {
  if (fd_ < 0) return absl::ResourceExhaustedError("a file in memory: no descriptor was free");
  const int draft = memfd_create("xebec", MFD_CLOEXEC);
  if (draft < 0) return Failure("memfd_create");
  absl::Status status = absl::OkStatus();
  if (!WriteAll(draft, content)) status = Failure("write");
  if (status.ok() && dup3(draft, fd_, O_CLOEXEC) < 0) status = Failure("dup3");
  close(draft);
  return status;
}

std::string MemoryFile::path() const { return absl::StrCat("/proc/self/fd/", fd_); }

}  // namespace xebec::tls
