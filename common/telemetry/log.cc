// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/log.h"

#include <array>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace xebec::telemetry {
namespace {

constexpr size_t kMaxLine = 16 * 1024;
constexpr size_t kMaxValue = 4 * 1024;
constexpr size_t kMaxMessage = 1024;  // fits also when every character is escaped
constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};
// Compared without dashes and underscores, in lower case.
constexpr std::array<std::string_view, 8> kSecrets = {"authorization", "clientkey", "credential",
                                                      "passphrase",    "password",  "privatekey",
                                                      "secret",        "token"};

struct Sink {
  LogOptions options;
  Level level = Level::kInfo;
  std::shared_ptr<spdlog::logger> out = spdlog::stderr_logger_mt("xebec");

  Sink() { out->set_pattern("%v"); }
};

Sink& TheSink() {
  static Sink* sink = new Sink;  // outlives every thread that may still log at exit
  return *sink;
}

bool LooksSecret(std::string_view key) {
  std::string lower = absl::AsciiStrToLower(ToAbsl(key));
  std::erase_if(lower, [](char c) { return c == '-' || c == '_'; });
  for (std::string_view secret : kSecrets) {
    if (absl::StrContains(lower, ToAbsl(secret))) return true;
  }
  return false;
}

bool Empty(const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  return text != nullptr && text->empty();
}

Json ValueOf(const Field& field) {
  if (LooksSecret(field.key)) return "[redacted]";
  if (const auto* text = std::get_if<std::string>(&field.value)) return Ellipsize(*text, kMaxValue);
  return std::visit([](const auto& value) { return Json(value); }, field.value);
}

/// Adds a member to an unfinished object, unless the line would become too long.
void AppendJson(std::string& line, std::string_view key, const Json& value) {
  const std::string member = absl::StrCat(DumpJson(std::string(key)), ":", DumpJson(value));
  if (line.size() + member.size() + 2 > kMaxLine) return;
  absl::StrAppend(&line, line.size() > 1 ? "," : "", member);
}

std::string JsonLine(const LogOptions& options, Level level, std::string_view ts,
                     std::string_view logger, std::string_view msg,
                     std::initializer_list<Field> fields) {
  std::string line = "{";
  AppendJson(line, "level", std::string(kLevels[static_cast<size_t>(level)]));
  AppendJson(line, "ts", std::string(ts));
  AppendJson(line, "component", options.component);
  AppendJson(line, "logger", std::string(logger));
  AppendJson(line, "msg", Ellipsize(msg, kMaxMessage));
  for (const Field& field : fields) {
    if (!Empty(field)) AppendJson(line, field.key, ValueOf(field));
  }
  return line + "}";
}

/// The message of a text line: escaped only where it would not be one readable line.
std::string OneLine(std::string_view msg) {
  const std::string quoted = DumpJson(Ellipsize(msg, kMaxMessage));
  const bool plain = quoted.size() == msg.size() + 2 && quoted.compare(1, msg.size(), msg) == 0;
  return plain ? std::string(msg) : quoted;
}

std::string TextLine(Level level, std::string_view ts, std::string_view logger,
                     std::string_view msg, std::initializer_list<Field> fields) {
  std::string line = absl::StrCat(
      ToAbsl(ts), " ", absl::AsciiStrToUpper(ToAbsl(kLevels[static_cast<size_t>(level)])), " ",
      ToAbsl(logger), ": ", OneLine(msg));
  for (const Field& field : fields) {
    if (!Empty(field))
      absl::StrAppend(&line, " ", ToAbsl(field.key), "=", DumpJson(ValueOf(field)));
  }
  return Ellipsize(line, kMaxLine);
}

}  // namespace

absl::Status InitLog(const LogOptions& options) {
  for (size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] != options.level) continue;
    if (options.format != "json" && options.format != "text") {
      return absl::InvalidArgumentError(
          absl::StrCat("log format \"", options.format, "\" is unknown: use json or text"));
    }
    TheSink().options = options;
    TheSink().level = static_cast<Level>(i);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "log level \"", options.level, "\" is unknown: use debug, info, warning or error"));
}

bool LogEnabled(Level level) { return level >= TheSink().level; }

void Log(Level level, std::string_view logger, std::string_view msg,
         std::initializer_list<Field> fields) {
  if (!LogEnabled(level)) return;
  const std::string ts =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", ReadClock().wall, absl::UTCTimeZone());
  TheSink().out->log(spdlog::level::critical, "{}",
                     FormatLine(TheSink().options, level, ts, logger, msg, fields));
}

std::string FormatLine(const LogOptions& options, Level level, std::string_view ts,
                       std::string_view logger, std::string_view msg,
                       std::initializer_list<Field> fields) {
  return options.format == "text" ? TextLine(level, ts, logger, msg, fields)
                                  : JsonLine(options, level, ts, logger, msg, fields);
}

}  // namespace xebec::telemetry
