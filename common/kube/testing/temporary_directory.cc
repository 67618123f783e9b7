// SPDX-License-Identifier: Apache-2.0
#include "common/kube/testing/temporary_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace xebec::kube::testing {
namespace {

namespace fs = std::filesystem;

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "xebec-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) abort();
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryDirectory::Path(const std::string& name) const { return path_ + "/" + name; }

std::string TemporaryDirectory::Write(const std::string& name, const std::string& text,
                                      bool executable) const {
  const std::string path = Path(name);
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    if (!file) abort();
  }
  fs::permissions(
      path, executable ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write);
  return path;
}

ScopedEnvironment::ScopedEnvironment(const char* name, const char* value) : name_(name) {
  const char* before = getenv(name);
  was_set_ = before != nullptr;
  if (was_set_) before_ = before;
  value != nullptr ? setenv(name, value, 1) : unsetenv(name);
}

ScopedEnvironment::~ScopedEnvironment() {
  was_set_ ? setenv(name_.c_str(), before_.c_str(), 1) : unsetenv(name_.c_str());
}

}  // namespace xebec::kube::testing
