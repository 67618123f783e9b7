// SPDX-License-Identifier: Apache-2.0
// Writes what nlohmann::json's dump() writes, byte for byte: digests depend on it. It takes a third
// of the time, because it copies whole runs of characters.
#include "common/base/json_text.h"

#include <array>
#include <charconv>

#include "simdjson.h"

namespace xebec {
namespace {

enum CharClass : uint8_t { kPlain, kEscaped, kNotAscii };

constexpr std::array<CharClass, 256> MakeClasses() {
  std::array<CharClass, 256> classes{};
  for (size_t i = 0; i < 0x20; ++i) classes[i] = kEscaped;
  for (size_t i = 0x80; i < 0x100; ++i) classes[i] = kNotAscii;
  classes['"'] = classes['\\'] = kEscaped;
  return classes;
}

constexpr std::array<CharClass, 256> kClasses = MakeClasses();

CharClass ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

std::string DumpByLibrary(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AppendEscaped(char c, std::string* out) {
  static constexpr std::string_view kShort = "\b\f\n\r\t\"\\";
  static constexpr std::string_view kLetters = "bfnrt\"\\";
  static constexpr std::string_view kDigits = "0123456789abcdef";
  out->push_back('\\');
  if (const size_t at = kShort.find(c); at != std::string_view::npos) {
    out->push_back(kLetters[at]);
    return;
  }
  out->append("u00");
  out->push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
  out->push_back(kDigits[static_cast<unsigned char>(c) & 15]);
}

template <typename Integer>
void AppendInteger(Integer number, std::string* out) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out->append(digits.data(), end);
}

void AppendObject(const Json::object_t& members, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [key, value] : members) {
    if (!first) out->push_back(',');
    first = false;
    AppendJsonString(key, out);
    out->push_back(':');
    AppendJson(value, out);
  }
  out->push_back('}');
}

void AppendArray(const Json::array_t& elements, std::string* out) {
  out->push_back('[');
  bool first = true;
  for (const Json& element : elements) {
    if (!first) out->push_back(',');
    first = false;
    AppendJson(element, out);
  }
  out->push_back(']');
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  out->push_back('"');
  size_t copied = 0;
  bool ascii = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const CharClass kind = ClassOf(text[i]);
    if (kind == kPlain) continue;
    if (kind == kNotAscii) {
      ascii = false;
      continue;
    }
    out->append(text, copied, i - copied);
    AppendEscaped(text[i], out);
    copied = i + 1;
  }
  out->append(text, copied);
  out->push_back('"');
  if (ascii || simdjson::validate_utf8(text.data(), text.size())) return;
  out->resize(begin);
  out->append(DumpByLibrary(Json(std::string(text))));
}

void AppendJson(const Json& json, std::string* out) {
  switch (json.type()) {
    case Json::value_t::object:
      return AppendObject(json.get_ref<const Json::object_t&>(), out);
    case Json::value_t::array:
      return AppendArray(json.get_ref<const Json::array_t&>(), out);
    case Json::value_t::string:
      return AppendJsonString(json.get_ref<const std::string&>(), out);
    case Json::value_t::boolean:
      out->append(json.get<bool>() ? "true" : "false");
      return;
    case Json::value_t::number_integer:
      return AppendInteger(json.get<int64_t>(), out);
    case Json::value_t::number_unsigned:
      return AppendInteger(json.get<uint64_t>(), out);
    default:
      out->append(DumpByLibrary(json));
  }
}

}  // namespace xebec
