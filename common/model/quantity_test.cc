// SPDX-License-Identifier: Apache-2.0
#include "common/model/quantity.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec {
namespace {

Quantity Q(const std::string& text) {
  const auto quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.ok()) << quantity.status();
  return quantity.value_or(Quantity());
}

TEST(Quantity, EqualValuesAreEqualHoweverTheyAreWritten) {
  EXPECT_EQ(Q("1000m"), Q("1"));
  EXPECT_EQ(Q("1Gi"), Q("1073741824"));
  EXPECT_EQ(Q("1.5Gi"), Q("1536Mi"));
  EXPECT_EQ(Q("0.5"), Q("500m"));
  EXPECT_EQ(Q(".5"), Q("5e-1"));
  EXPECT_EQ(Q("5."), Q("5"));
  EXPECT_EQ(Q("1k"), Q("1E3"));
  EXPECT_EQ(Q("1E"), Q("1e18"));
  EXPECT_EQ(Q("+1"), Q("001"));
  EXPECT_EQ(Q("-0"), Q("0Ki"));
  EXPECT_EQ(Q("1e+3"), Q("1000"));
  EXPECT_EQ(Q("1000000n"), Q("1000u"));
}

TEST(Quantity, DifferentValuesAreOrdered) {
  EXPECT_LT(Q("999m"), Q("1"));
  EXPECT_LT(Q("1G"), Q("1Gi"));
  EXPECT_LT(Q("9"), Q("10"));
  EXPECT_LT(Q("-2"), Q("-1"));
  EXPECT_LT(Q("-1"), Q("0"));
  EXPECT_LT(Q("0"), Q("1n"));
  EXPECT_LT(Q("9007199254740992"), Q("9007199254740993"));  // a double cannot tell these apart
}

TEST(Quantity, WhatIsFinerThanANanoIsRoundedUp) {
  EXPECT_EQ(Q("0.1n"), Q("1n"));
  EXPECT_EQ(Q("1.1n"), Q("2n"));
  EXPECT_EQ(Q("-0.1n"), Q("-1n"));
  EXPECT_EQ(Q("1e-1000"), Q("1n"));
  EXPECT_EQ(Q("999999999.9n"), Q("1"));
}

TEST(Quantity, BinarySuffixesAreCappedAt63Bits) {
  EXPECT_EQ(Q("100Ei"), Q("9223372036854775807"));
  EXPECT_EQ(Q("-100Ei"), Q("-9223372036854775807"));
  EXPECT_LT(Q("7Ei"), Q("100Ei"));
}

TEST(Quantity, RoundsUpToMilliLikeResourceLists) {
  EXPECT_EQ(Q("100u").RoundedToMilli(), Q("1m"));
  EXPECT_EQ(Q("1.0001").RoundedToMilli(), Q("1001m"));
  EXPECT_EQ(Q("1500m").RoundedToMilli(), Q("1500m"));
}

TEST(Quantity, TextIsTheSameForEqualValues) {
  EXPECT_EQ(Q("1.5Gi").ToString(), "1610612736");
  EXPECT_EQ(Q("1.5").ToString(), "1500m");
  EXPECT_EQ(Q("1.0000001").ToString(), "1000000100n");
  EXPECT_EQ(Q("-2k").ToString(), "-2000");
  EXPECT_EQ(Q("0m").ToString(), "0");
}

TEST(Quantity, WhatIsNoQuantityIsRefused) {
  for (const char* text : {"",       ".",       "-",    "1.1.1",  "1+1",
                           "0.1mi",  "0.1am",   "aoeu", ".i",     "1i",
                           "-3.01i", "-3.01e-", " 1",   "1 ",     "1e",
                           "1e3 ",   "1e 3",    "1ee3", "1e1001", "1e99999999999999999999",
                           "--1",    "1KI",     "0x10", "1_000",  "1,5",
                           "Gi",     "m"}) {
    EXPECT_FALSE(Quantity::Parse(text).ok()) << text;
  }
  EXPECT_EQ(Quantity::Parse("50GB").status().message(),
            "\"50GB\" is not a quantity: a number with an optional suffix (n u m k M G T P E, Ki "
            "Mi Gi Ti Pi Ei, or "
            "e3) is needed, such as 250m, 1.5 or 10Gi");
}

// Laws.

class RandomQuantities {
 public:
  std::string Next() {
    static constexpr const char* kSuffixes[] = {"n",  "u",  "m",  "",    "k",  "M",  "G",
                                                "T",  "P",  "E",  "Ki",  "Mi", "Gi", "Ti",
                                                "Pi", "Ei", "e3", "E-2", "e+7"};
    std::string text = Below(4) == 0 ? "-" : "";
    text += Digits(1 + Below(6));
    if (Below(2) == 0) text += "." + Digits(1 + Below(4));
    return text + kSuffixes[Below(std::size(kSuffixes))];
  }
  size_t Below(size_t limit) { return random_() % limit; }

 private:
  std::string Digits(size_t count) {
    std::string digits;
    for (size_t i = 0; i < count; ++i) digits += static_cast<char>('0' + Below(10));
    return digits;
  }
  std::mt19937 random_{7};
};

TEST(QuantityLaws, TextReadsBackAsTheSameValue) {
  RandomQuantities random;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = random.Next();
    const Quantity quantity = Q(text);
    EXPECT_EQ(Q(quantity.ToString()), quantity) << text;
    EXPECT_EQ(Q(quantity.ToString()).ToString(), quantity.ToString()) << text;
  }
}

TEST(QuantityLaws, OrderIsTotalAndAgreesWithTheValue) {
  RandomQuantities random;
  for (int i = 0; i < 5000; ++i) {
    const Quantity a = Q(random.Next()), b = Q(random.Next()), c = Q(random.Next());
    EXPECT_EQ(a<b, b> a);
    EXPECT_EQ(a == b, !(a < b) && !(b < a));
    if (a <= b && b <= c) {
      EXPECT_LE(a, c);
    }
  }
}

TEST(QuantityLaws, OrderAgreesWithExactArithmeticWhereItFits) {
  RandomQuantities random;
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<int64_t>(random.Below(2'000'000)) - 1'000'000;
    const auto y = static_cast<int64_t>(random.Below(2'000'000)) - 1'000'000;
    EXPECT_EQ(Q(std::to_string(x) + "Ki") < Q(std::to_string(y) + "k"), x * 1024 < y * 1000)
        << x << " " << y;
    EXPECT_EQ(Q(std::to_string(x) + "m") < Q(std::to_string(y)), x < y * 1000) << x << " " << y;
  }
}

TEST(QuantityLaws, RoundingNeverLowersAMagnitudeAndIsIdempotent) {
  RandomQuantities random;
  for (int i = 0; i < 5000; ++i) {
    const Quantity quantity = Q(random.Next());
    const Quantity rounded = quantity.RoundedToMilli();
    EXPECT_TRUE(quantity.IsNegative() ? rounded <= quantity : rounded >= quantity);
    EXPECT_EQ(rounded.RoundedToMilli(), rounded);
  }
}

}  // namespace
}  // namespace xebec
