// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: records when a program receives and sends on TCP sockets, and on which
// thread. Each record is a line in the file $BENCH_TRACE.PID: monotonic nanoseconds, thread,
// "in" or "out", remote port, bytes. bench/profile/timeline.py reads them.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

int RemotePort(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  }
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return 0;
}

std::FILE* Open() {
  const char* prefix = std::getenv("BENCH_TRACE");
  if (prefix == nullptr) return nullptr;
  char path[4096];
  std::snprintf(path, sizeof path, "%s.%d", prefix, getpid());
  std::FILE* file = std::fopen(path, "w");
  if (file != nullptr) std::setvbuf(file, nullptr, _IOLBF, BUFSIZ);
  return file;
}

ssize_t Record(const char* direction, int fd, ssize_t bytes) {
  static std::FILE* const file = Open();
  if (file == nullptr || bytes <= 0) return bytes;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // before getpeername, which is not the program's work
  const int port = RemotePort(fd);
  if (port == 0) return bytes;
  std::fprintf(file, "%" PRId64 " %d %s %d %zd\n",
               static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec, gettid(), direction,
               port, bytes);
  return bytes;
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t read(int fd, void* buffer, size_t size) {
  static const auto next = Next<ssize_t (*)(int, void*, size_t)>("read");
  return Record("in", fd, next(fd, buffer, size));
}

ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  static const auto next = Next<ssize_t (*)(int, void*, size_t, int)>("recv");
  return Record("in", fd, next(fd, buffer, size, flags));
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static const auto next = Next<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  return Record("in", fd, next(fd, message, flags));
}

ssize_t write(int fd, const void* buffer, size_t size) {
  static const auto next = Next<ssize_t (*)(int, const void*, size_t)>("write");
  return Record("out", fd, next(fd, buffer, size));
}

ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  static const auto next = Next<ssize_t (*)(int, const void*, size_t, int)>("send");
  return Record("out", fd, next(fd, buffer, size, flags));
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static const auto next = Next<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  return Record("out", fd, next(fd, message, flags));
}

}  // extern "C"
