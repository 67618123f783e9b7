// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"

/// Structured logs: one line per event with a constant message and values in keys. Key names follow
/// controller-runtime: level, ts, logger, msg, reconcileID.
namespace xebec::telemetry {

enum class Level { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  std::string component;        ///< "watcher"; the value of the key `component` in every line.
  std::string level = "info";   ///< debug, info, warning or error.
  std::string format = "json";  ///< json or text.
};

/// One key and value of a line. If the key may hold a secret (token, password, authorization,
/// secret, client-key), the value is replaced by "[redacted]". Empty strings are omitted.
struct Field {
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, int64_t v) : key(k), value(v) {}
  Field(std::string_view k, uint64_t v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, int v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, uint32_t v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, double v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v) {}

  std::string_view key;
  std::variant<std::string_view, int64_t, double, bool> value;  ///< Refers to the caller's text.
};

/// Sets up the log of the process. Lines before that are JSON at level info. Returns
/// INVALID_ARGUMENT for an unknown level or format.
absl::Status InitLog(const LogOptions& options);

/// Returns true if lines of that level are written. A caller that formats the text of a line calls
/// this function first, so that a line below the level costs nothing.
bool LogEnabled(Level level);

/// Writes one line to standard error. The line is in the file or pipe when Log returns, so that no
/// line is lost when the process ends, also if it is killed. Cuts lines at 16 KiB, escapes control
/// characters and replaces invalid UTF-8. Thread-safe.
void Log(Level level, std::string_view logger, std::string_view msg,
         std::initializer_list<Field> fields = {});

/// Returns the line that Log would write, for tests. `ts` is a time in RFC 3339.
std::string FormatLine(const LogOptions& options, Level level, std::string_view ts,
                       std::string_view logger, std::string_view msg,
                       std::initializer_list<Field> fields);

}  // namespace xebec::telemetry
