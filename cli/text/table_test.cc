// SPDX-License-Identifier: Apache-2.0
#include "cli/text/table.h"

#include "absl/time/time.h"
#include "cli/text/words.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table("  ");
  table.Add({"NAME", "STATE"});
  table.Add({"a-long-name", "Idle"});
  EXPECT_EQ(table.TakeText(), "  NAME          STATE\n  a-long-name   Idle\n");
}

TEST(Table, EmptyColumnsAreLeftOutAndLinesEndWithTheirText) {
  Table table;
  table.Add({"", "a", "", "x"});
  table.Add({"", "bb", "", ""});
  EXPECT_EQ(table.TakeText(), "a    x\nbb\n");
}

TEST(Table, APartIsAsWideAsTheOnesBeforeIt) {
  Table table;
  table.Add({"NAME", "STATE"});
  table.Add({"a-long-name", "Idle"});
  table.TakeText();
  EXPECT_EQ(table.TakeText(), "");
  table.Add({"b", "Idle"});
  EXPECT_EQ(table.TakeText(), "b             Idle\n");
}

TEST(Table, CharactersAreCountedNotBytes) {
  Table table;
  table.Add({"é…", "x"});
  table.Add({"abc", "y"});
  EXPECT_EQ(table.TakeText(), "é…    x\nabc   y\n");
}

TEST(Table, ACellCannotBreakItsLineNorColourTheTerminal) {
  Table table;
  table.Add({"a\nb\x1b[31m", "\xff"});
  EXPECT_EQ(table.TakeText(), "a b [31m   \xEF\xBF\xBD\n");
}

TEST(Words, NothingThatATerminalObeysIsLeft) {
  EXPECT_EQ(OneLine("a\x1b[31m\r\nb"), "a [31m  b");
  EXPECT_EQ(OneLine("a\xC2\x9B"
                    "31mb"),
            "a 31mb")
      << "CSI as one character";
  EXPECT_EQ(OneLine("a\u202Eb\u2066c"), "a b c") << "turns the direction of writing";
  EXPECT_EQ(OneLine("a\u202Ab\u2069c"), "a b c");
  EXPECT_EQ(OneLine("\u2029\u202F\u2065\u206A\u2014"), "\u2029\u202F\u2065\u206A\u2014");
  EXPECT_EQ(OneLine("é\u00A0…日本\U0001F600"), "é\u00A0…日本\U0001F600");
}

TEST(Words, ValuesOfTheContractAreReadWithoutTheirPrefix) {
  EXPECT_EQ(EnumWord("KEY_STATE_IDLE", "KEY_STATE_"), "Idle");
  EXPECT_EQ(EnumWord("OUTCOME_CODE_NAME_CONFLICT", "OUTCOME_CODE_"), "NameConflict");
  EXPECT_EQ(EnumWord("", "KEY_STATE_"), "") << "a value that a newer watcher sent";
}

TEST(Words, SpansAreTwoOrThreeDigitsOfOneUnit) {
  EXPECT_EQ(Span(absl::Seconds(-3)), "0s");
  EXPECT_EQ(Span(absl::Milliseconds(119999)), "119s");
  EXPECT_EQ(Span(absl::Minutes(2)), "2m");
  EXPECT_EQ(Span(absl::Minutes(119)), "119m");
  EXPECT_EQ(Span(absl::Hours(47)), "47h");
  EXPECT_EQ(Span(absl::Hours(72)), "3d");
  EXPECT_EQ(Span(absl::InfiniteDuration()).back(), 'd');
}

}  // namespace
}  // namespace xebec::cli
