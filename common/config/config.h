// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

/// Settings of a process: defaults < YAML file < environment < flags.
namespace xebec::config {

/// Names and values of environment variables.
using Environment = std::map<std::string, std::string>;

/// The process's own environment.
Environment ProcessEnvironment();

/// What main should do after Load.
enum class Next {
  kRun,   ///< Settings are filled in.
  kExit,  ///< --help, --version or --print-config was answered on standard output.
};

/// Binds the fields of a settings struct once; each binding gives a file key, an environment
/// variable, a flag, a line of
/// --help and of --print-config.
///
/// A key is dotted camelCase: "lease.renewDeadline" is the file's `lease: {renewDeadline: 10s}`,
/// the flag
/// --lease-renew-deadline and the variable XEBEC_LEASE_RENEW_DEADLINE. The value that the field has
/// when it is bound is the default. Durations are written "290s", "1m30s", "500ms". Lists are YAML
/// sequences, and comma-separated in flags and variables. Booleans are true or false; a flag
/// without value means true.
class Binder {
 public:
  /// `program` and `summary` head --help; `version` answers --version.
  Binder(std::string program, std::string summary, std::string version);
  ~Binder();

  /// Bound fields must outlive the binder. `help` is one line. Numbers have an inclusive range.
  void Add(const std::string& key, std::string* field, const std::string& help);
  void Add(const std::string& key, bool* field, const std::string& help);
  void Add(const std::string& key, uint32_t* field, const std::string& help, uint32_t min = 0,
           uint32_t max = UINT32_MAX);
  void Add(const std::string& key, uint64_t* field, const std::string& help, uint64_t min = 0,
           uint64_t max = UINT64_MAX);
  void Add(const std::string& key, absl::Duration* field, const std::string& help,
           absl::Duration min = absl::ZeroDuration());
  void Add(const std::string& key, std::vector<std::string>* field, const std::string& help);
  /// One of `choices`.
  void AddChoice(const std::string& key, std::string* field,
                 const std::vector<std::string>& choices, const std::string& help);

  /// Reads --config FILE (or XEBEC_CONFIG), the environment and the flags into the fields.
  /// INVALID_ARGUMENT for unknown keys, flags and XEBEC_ variables and for bad values, naming file,
  /// line and key, variable or flag, and what is expected.
  /// The variables that Kubernetes sets for Services (XEBEC_PLANNER_PORT, ..._SERVICE_HOST) are
  /// passed over.
  absl::StatusOr<Next> Load(int argc, const char* const* argv, const Environment& environment);

  /// The present values as YAML that Load reads back to the same values.
  std::string Print() const;
  /// The text of --help.
  std::string Help() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xebec::config
