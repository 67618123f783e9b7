// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"

/// Structured logs. One line per event: constant message, values in keys (ecosystem conventions of
/// controller-runtime: level, ts, logger, msg, reconcileID).
namespace xebec::telemetry {

enum class Level { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  std::string component;        ///< "watcher": the key `component` of every line.
  std::string level = "info";   ///< debug, info, warning or error.
  std::string format = "json";  ///< json or text.
};

/// One value of a line. A value whose key looks secret (token, password, authorization, secret,
/// client-key) is replaced by "[redacted]"; empty strings are left out.
struct Field {
  Field(std::string_view k, std::string_view v) : key(k), value(std::string(v)) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(std::string(v)) {}
  Field(std::string_view k, int64_t v) : key(k), value(v) {}
  Field(std::string_view k, uint64_t v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, int v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, uint32_t v) : key(k), value(static_cast<int64_t>(v)) {}
  Field(std::string_view k, double v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v) {}

  std::string_view key;
  std::variant<std::string, int64_t, double, bool> value;
};

/// Sets the process's log up; before it is called lines go out as JSON at info. INVALID_ARGUMENT
/// for an unknown level or format.
absl::Status InitLog(const LogOptions& options);

/// True when lines of that level are written: lets callers skip costly values.
bool LogEnabled(Level level);

/// Writes one line to standard error. Thread-safe. Lines are cut at 16 KiB, control characters
/// escaped, invalid UTF-8 replaced.
void Log(Level level, std::string_view logger, std::string_view msg,
         std::initializer_list<Field> fields = {});

/// The line that Log would write, for tests. `ts` is RFC 3339.
std::string FormatLine(const LogOptions& options, Level level, std::string_view ts,
                       std::string_view logger, std::string_view msg,
                       std::initializer_list<Field> fields);

}  // namespace xebec::telemetry
