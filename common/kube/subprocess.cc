// SPDX-License-Identifier: Apache-2.0
#include "common/kube/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"

namespace xebec::kube::internal {
namespace {

constexpr size_t kErrorTail = 4096;

/// A file descriptor that the destructor closes.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { Reset(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  void Reset(int fd = -1) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Fd read, write;

  bool Open() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    read.Reset(fds[0]);
    write.Reset(fds[1]);
    return fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

/// The settings of posix_spawn: own process group, default signal handlers, no blocked signals.
int Spawn(const ProcessSpec& spec, const Pipe& out, const Pipe& err, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> argv = Pointers(spec.argv);
  std::vector<char*> environment = Pointers(spec.environment);
  const int error =
      posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// A started process. The destructor kills its process group unless the process was reaped.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), fd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    Reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int fd() const { return fd_.get(); }

  /// Waits and returns the exit code.
  int Reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
  Fd fd_;
};

/// Reads the available bytes. Returns false at the end of the stream.
bool Drain(int fd, std::string* out) {
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    out->append(buffer, static_cast<size_t>(got));
  }
}

int MillisecondsUntil(absl::Duration deadline) {
  const absl::Duration left = deadline - ReadClock().monotonic;
  const int64_t ms = absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
  return static_cast<int>(std::clamp<int64_t>(ms, 0, std::numeric_limits<int>::max()));
}

absl::Status Collect(const ProcessSpec& spec, const Child& child, Pipe* out, Pipe* err,
                     ProcessResult* result) {
  const absl::Duration deadline = ReadClock().monotonic + spec.timeout;
  pollfd fds[] = {{child.fd(), POLLIN, 0},
                  {out->read.get(), POLLIN, 0},
                  {err->read.get(), POLLIN, 0},
                  {spec.cancel_fd, POLLIN, 0}};
  for (;;) {
    const int ready = poll(fds, std::size(fds), MillisecondsUntil(deadline));
    if (ready == 0) {
      return absl::DeadlineExceededError(
          absl::StrCat("did not end within ", absl::FormatDuration(spec.timeout)));
    }
    if (fds[3].revents != 0) return absl::CancelledError("was interrupted");
    if (!Drain(fds[1].fd, &result->output)) fds[1].fd = -1;
    if (!Drain(fds[2].fd, &result->error_tail)) fds[2].fd = -1;
    if (result->error_tail.size() > kErrorTail) {
      result->error_tail.erase(0, result->error_tail.size() - kErrorTail);
    }
    if (result->output.size() > spec.max_output) {
      return absl::ResourceExhaustedError(
          absl::StrCat("printed more than ", spec.max_output, " bytes"));
    }
    if (fds[0].revents != 0) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const ProcessSpec& spec) {
  Pipe out, err;
  if (!out.Open() || !err.Open()) {
    return absl::ResourceExhaustedError(absl::StrCat("pipe: ", std::strerror(errno)));
  }
  pid_t pid = -1;
  if (const int error = Spawn(spec, out, err, &pid); error != 0) {
    const std::string text = absl::StrCat("cannot be started: ", std::strerror(error));
    if (error == ENOENT) return absl::NotFoundError(text);
    return absl::FailedPreconditionError(text);
  }
  Child child(pid);
  out.write.Reset();
  err.write.Reset();
  ProcessResult result;
  absl::Status status = Collect(spec, child, &out, &err, &result);
  if (!status.ok()) return status;
  result.exit_code = child.Reap();
  Drain(out.read.get(), &result.output);
  Drain(err.read.get(), &result.error_tail);
  return result;
}

}  // namespace xebec::kube::internal
