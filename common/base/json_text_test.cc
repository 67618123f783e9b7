// SPDX-License-Identifier: Apache-2.0
#include "common/base/json_text.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace xebec {
namespace {

std::string ByLibrary(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class RandomJson {
 public:
  explicit RandomJson(uint32_t seed) : random_(seed) {}

  Json Make(int depth) {
    switch (random_() % (depth > 0 ? 9 : 7)) {
      case 0:
        return Json();
      case 1:
        return random_() % 2 == 0;
      case 2:
        return static_cast<int64_t>(Word()) >> (random_() % 64);
      case 3:
        return Word() >> (random_() % 64);
      case 4:
        return static_cast<double>(static_cast<int64_t>(Word())) / 1024;
      case 5:
      case 6:
        return Text();
      case 7:
        return Array(depth);
      default:
        return Object(depth);
    }
  }

 private:
  uint64_t Word() { return uint64_t{random_()} << 32 | random_(); }
  Json Array(int depth) {
    Json out = Json::array();
    for (size_t i = random_() % 4; i > 0; --i) out.push_back(Make(depth - 1));
    return out;
  }
  Json Object(int depth) {
    Json out = Json::object();
    for (size_t i = random_() % 4; i > 0; --i) out[Text()] = Make(depth - 1);
    return out;
  }
  /// Half of the texts are plain, the others any bytes, valid UTF-8 or not.
  std::string Text() {
    static constexpr const char* kPieces[] = {"é", "…", "\xF0\x9F\x90\xB3", "\x7f", "\xff", "\xc3"};
    const bool plain = random_() % 2 == 0;
    std::string text;
    for (size_t i = random_() % 12; i > 0; --i) {
      if (plain) {
        text.push_back(static_cast<char>('a' + random_() % 26));
      } else if (random_() % 3 == 0) {
        text += kPieces[random_() % std::size(kPieces)];
      } else {
        text.push_back(static_cast<char>(random_() % 128));
      }
    }
    return text;
  }

  std::mt19937 random_;
};

TEST(DumpJson, WritesTheBytesOfTheLibrary) {
  RandomJson random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Json json = random.Make(4);
    ASSERT_EQ(DumpJson(json), ByLibrary(json));
  }
}

TEST(DumpJson, WritesEveryByteAsTheLibraryDoes) {
  for (int byte = 0; byte < 256; ++byte) {
    const Json json = "a" + std::string(1, static_cast<char>(byte)) + "b";
    EXPECT_EQ(DumpJson(json), ByLibrary(json)) << byte;
  }
}

TEST(DumpJson, NumbersThatJsonLacksAreNull) {
  EXPECT_EQ(DumpJson(Json::array({std::nan(""), 1.0, 1e300, 5e-324})), "[null,1.0,1e+300,5e-324]");
}

TEST(AppendJson, AppendsToWhatIsThere) {
  std::string text = "x";
  AppendJson({{"a", 1}}, &text);
  AppendJsonString("\n", &text);
  EXPECT_EQ(text, R"(x{"a":1}"\n")");
}

}  // namespace
}  // namespace xebec
