// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/request.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace xebec::telemetry {
namespace {

constexpr int kBadRequest = 400;
constexpr int kTooLarge = 431;
constexpr int kUnknownVersion = 505;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Replaces %XX. Malformed escapes stay as they are.
std::string Decode(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                        HexDigit(text[i + 2]) >= 0;
    if (!escape) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
    i += 2;
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> DecodeQuery(absl::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const absl::string_view part : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const size_t equals = part.find('=');
    const bool has_value = equals != absl::string_view::npos;
    out.emplace_back(Decode(part.substr(0, equals)),
                     has_value ? Decode(part.substr(equals + 1)) : "");
  }
  return out;
}

/// Returns the length of the head including its empty line, or npos if it is incomplete. Lines may
/// end with LF alone. `from` is the position of the new bytes.
size_t EndOfHead(std::string_view head, size_t from) {
  constexpr size_t kOverlap = 2;  // "\n\r" may have arrived earlier
  for (size_t i = head.find('\n', from - std::min(from, kOverlap)); i != std::string_view::npos;
       i = head.find('\n', i + 1)) {
    const size_t next = i + 1 < head.size() && head[i + 1] == '\r' ? i + 2 : i + 1;
    if (next < head.size() && head[next] == '\n') return next + 1;
  }
  return std::string_view::npos;
}

}  // namespace

bool HttpRequest::Has(std::string_view key) const {
  return std::any_of(query.begin(), query.end(), [&](const auto& p) { return p.first == key; });
}

std::vector<std::string> HttpRequest::Values(std::string_view key) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : query) {
    if (name == key) values.push_back(value);
  }
  return values;
}

RequestReader::State RequestReader::Refuse(int status) {
  refusal_ = status;
  head_ = std::string();
  return state_ = State::kRefused;
}

RequestReader::State RequestReader::Feed(std::string_view bytes) {
  if (state_ != State::kIncomplete) return state_;
  const size_t before = head_.size();
  const size_t room = kMaxHead - before;
  head_.append(bytes.substr(0, room));
  const size_t end = EndOfHead(head_, before);
  if (end == std::string_view::npos) {
    return bytes.size() >= room ? Refuse(kTooLarge) : State::kIncomplete;
  }
  head_.resize(end);
  return Parse();
}

RequestReader::State RequestReader::Parse() {
  std::vector<std::string> lines = absl::StrSplit(head_, '\n', absl::SkipEmpty());
  for (std::string& line : lines) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
  if (lines.size() > kMaxHeaders + 2) return Refuse(kTooLarge);  // including the last two line ends
  for (size_t i = 1; i < lines.size(); ++i) {
    const bool header = lines[i].find(':') != std::string::npos && lines[i].front() != ':';
    if (!lines[i].empty() && !header) return Refuse(kBadRequest);
  }
  if (!ParseRequestLine(lines.front())) return Refuse(refusal_ == 0 ? kBadRequest : refusal_);
  head_ = std::string();
  return state_ = State::kComplete;
}

bool RequestReader::ParseRequestLine(const std::string& line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
  if (parts.size() != 3 || parts[0].empty() || !absl::StartsWith(parts[1], "/")) return false;
  if (!absl::StartsWith(parts[2], "HTTP/1.")) {
    refusal_ = kUnknownVersion;
    return false;
  }
  const size_t question = parts[1].find('?');
  request_.method = std::string(parts[0]);
  request_.path = Decode(parts[1].substr(0, question));
  if (question != absl::string_view::npos) {
    request_.query = DecodeQuery(parts[1].substr(question + 1));
  }
  return true;
}

}  // namespace xebec::telemetry
