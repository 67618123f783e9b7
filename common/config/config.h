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

/// Settings of a process. Later sources override earlier ones: defaults, YAML file, environment,
/// flags.
namespace xebec::config {

/// Names and values of environment variables.
using Environment = std::map<std::string, std::string>;

/// Returns the environment of this process.
Environment ProcessEnvironment();

/// The action of main after Load.
enum class Next {
  kRun,   ///< The fields have their values: run the program.
  kExit,  ///< --help, --version or --print-config was printed on standard output: exit.
};

/// Binds the fields of a settings struct. Each binding defines a key in the file, an environment
/// variable, a flag, a line of --help and a line of --print-config.
///
/// A key is dotted camelCase: "lease.renewDeadline" is `lease: {renewDeadline: 10s}` in the file,
/// the flag --lease-renew-deadline and the variable XEBEC_LEASE_RENEW_DEADLINE. The value that the
/// field has when it is bound is the default. Durations are written "290s", "1m30s", "500ms". Lists
/// are YAML sequences in the file, and comma-separated in flags and variables. Booleans are true or
/// false; a flag without a value means true.
class Binder {
 public:
  /// `program` and `summary` start the text of --help; `version` is the output of --version.
  Binder(std::string program, std::string summary, std::string version);
  ~Binder();

  /// Binds a field, which must outlive the binder. `help` is one line. The range of a number is
  /// inclusive.
  void Add(const std::string& key, std::string* field, const std::string& help);
  void Add(const std::string& key, bool* field, const std::string& help);
  void Add(const std::string& key, uint32_t* field, const std::string& help, uint32_t min = 0,
           uint32_t max = UINT32_MAX);
  void Add(const std::string& key, uint64_t* field, const std::string& help, uint64_t min = 0,
           uint64_t max = UINT64_MAX);
  void Add(const std::string& key, absl::Duration* field, const std::string& help,
           absl::Duration min = absl::ZeroDuration());
  void Add(const std::string& key, std::vector<std::string>* field, const std::string& help);
  /// Binds a field that accepts only the values in `choices`.
  void AddChoice(const std::string& key, std::string* field,
                 const std::vector<std::string>& choices, const std::string& help);

  /// Reads --config FILE (or XEBEC_CONFIG), the environment and the flags into the fields. Returns
  /// INVALID_ARGUMENT for unknown keys, flags and XEBEC_ variables and for invalid values; the
  /// message names the file, line and key, or the variable or flag, and the accepted values.
  /// Ignores the variables that Kubernetes sets for Services (XEBEC_PLANNER_PORT,
  /// ..._SERVICE_HOST).
  absl::StatusOr<Next> Load(int argc, const char* const* argv, const Environment& environment);

  /// Returns the current values as YAML. Load reads the same values from it.
  std::string Print() const;
  /// Returns the text of --help.
  std::string Help() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xebec::config
