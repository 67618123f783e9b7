// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::kube::testing {

/// A directory of its own for a test. The destructor removes it with its files.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Returns the absolute path of `name` in the directory.
  std::string Path(const std::string& name) const;
  /// Writes a file, replaces an existing one, and returns its path.
  std::string Write(const std::string& name, const std::string& text,
                    bool executable = false) const;

 private:
  std::string path_;
};

/// Sets an environment variable until the end of the scope; null removes it.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  const std::string name_;
  std::string before_;
  bool was_set_;
};

}  // namespace xebec::kube::testing
