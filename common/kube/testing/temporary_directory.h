// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::kube::testing {

/// A directory of the test's own, removed with its files at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Absolute path of `name` in it.
  std::string Path(const std::string& name) const;
  /// Writes a file, whole, replacing an old one, and gives its path.
  std::string Write(const std::string& name, const std::string& text,
                    bool executable = false) const;

 private:
  std::string path_;
};

/// Sets an environment variable (or takes it away: null) until the end of the scope.
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
