// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/log.h"

#include <algorithm>
#include <array>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/json_text.h"
#include "common/base/strings.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace xebec::telemetry {
namespace {

constexpr size_t kMaxLine = 16 * 1024;
constexpr size_t kUsualLine = 512;
constexpr size_t kMaxValue = 4 * 1024;
constexpr size_t kMaxMessage = 1024;  // small enough even if every character is escaped
constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};
// Keys are compared in lower case, without dashes and underscores.
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
  static Sink* sink = new Sink;  // never destroyed, because threads may log during exit
  return *sink;
}

bool LooksSecret(std::string_view key) {
  std::string lower;
  for (const char c : key) {
    if (c != '-' && c != '_') lower.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  return std::any_of(kSecrets.begin(), kSecrets.end(), [&](std::string_view secret) {
    return lower.find(secret) != std::string::npos;
  });
}

bool Empty(const Field& field) {
  const auto* text = std::get_if<std::string_view>(&field.value);
  return text != nullptr && text->empty();
}

void AppendText(std::string_view text, size_t limit, std::string* line) {
  if (text.size() <= limit) return AppendJsonString(text, line);
  AppendJsonString(Ellipsize(text, limit), line);
}

void AppendValue(const Field& field, std::string* line) {
  if (LooksSecret(field.key)) return AppendJsonString("[redacted]", line);
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    return AppendText(*text, kMaxValue, line);
  }
  std::visit([&](const auto& value) { AppendJson(Json(value), line); }, field.value);
}

/// Adds a member to an unfinished object, unless the line would become too long.
template <typename Append>
void AppendMemberBy(std::string_view key, const Append& append_value, std::string* line) {
  const size_t before = line->size();
  if (before > 1) line->push_back(',');
  const size_t begin = line->size();
  AppendJsonString(key, line);
  line->push_back(':');
  append_value();
  if (before + (line->size() - begin) + 2 > kMaxLine) line->resize(before);
}

void AppendMember(std::string_view key, std::string_view value, std::string* line) {
  AppendMemberBy(
      key, [&] { AppendText(value, kMaxMessage, line); }, line);
}

std::string JsonLine(const LogOptions& options, Level level, std::string_view ts,
                     std::string_view logger, std::string_view msg,
                     std::initializer_list<Field> fields) {
  std::string line;
  line.reserve(kUsualLine);
  line.push_back('{');
  AppendMember("level", kLevels[static_cast<size_t>(level)], &line);
  AppendMember("ts", ts, &line);
  AppendMember("component", options.component, &line);
  AppendMember("logger", logger, &line);
  AppendMember("msg", msg, &line);
  for (const Field& field : fields) {
    if (Empty(field)) continue;
    AppendMemberBy(
        field.key, [&] { AppendValue(field, &line); }, &line);
  }
  line.push_back('}');
  return line;
}

/// Writes the message of a text line. Escapes it only if it would not be one readable line.
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
    if (Empty(field)) continue;
    absl::StrAppend(&line, " ", ToAbsl(field.key), "=");
    AppendValue(field, &line);
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
