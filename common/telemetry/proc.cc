// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/proc.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace xebec::telemetry {
namespace {

// Positions in /proc/self/stat after the closing parenthesis of the command (proc(5): utime is
// field 14).
constexpr size_t kUserTime = 11, kSystemTime = 12, kStartTime = 19, kResidentPages = 21;

std::vector<std::string> StatFields() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

double BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("btime ", 0) == 0) return std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

double CountOpenFiles() {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return 0;
  int count = 0;
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count - 3;  // ".", ".." and the directory itself
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// In a container, the root of /sys/fs/cgroup is the container's own cgroup.
double MemoryLimit() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const double limit = ParseMemoryLimit(Content(path)); limit > 0) return limit;
  }
  return 0;
}

}  // namespace

double ParseMemoryLimit(const std::string& text) {
  constexpr double kNoLimit = 1LL << 60;
  const double limit = std::strtod(text.c_str(), nullptr);
  return limit > 0 && limit < kNoLimit ? limit : 0;
}

ProcFigures ReadProc() {
  ProcFigures figures;
  const std::vector<std::string> fields = StatFields();
  if (fields.size() <= kResidentPages) return figures;
  const auto at = [&](size_t i) { return std::strtod(fields[i].c_str(), nullptr); };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  figures.cpu_seconds = (at(kUserTime) + at(kSystemTime)) / ticks;
  figures.resident_bytes = at(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  figures.start_time_seconds = BootTime() + at(kStartTime) / ticks;
  figures.open_fds = CountOpenFiles();
  figures.memory_limit_bytes = MemoryLimit();
  return figures;
}

}  // namespace xebec::telemetry
