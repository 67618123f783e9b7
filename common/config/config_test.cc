// SPDX-License-Identifier: Apache-2.0
#include "common/config/config.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A service's settings, as one would write them.
struct Settings {
  std::string listen = "127.0.0.1:7442";
  std::string level = "info";
  bool reflection = false;
  uint32_t page = 500;
  uint64_t queue = 4096;
  absl::Duration lease = absl::Seconds(15);
  absl::Duration watch_timeout = absl::Minutes(7);
  std::vector<std::string> kinds;

  bool operator==(const Settings&) const = default;
};

/// A process: its settings, its binder, the file it reads.
class Process {
 public:
  Process() : binder_("xebec-test", "Tests.", "1.2.3") {
    binder_.Add("listen", &settings.listen, "where to listen");
    binder_.AddChoice("log.level", &settings.level, {"debug", "info"}, "least level");
    binder_.Add("reflection", &settings.reflection, "answer reflection");
    binder_.Add("listPage", &settings.page, "objects per page", 1, 1000);
    binder_.Add("queue", &settings.queue, "inputs that may wait", 16);
    binder_.Add("lease.duration", &settings.lease, "of a Lease", absl::Seconds(1));
    binder_.Add("watchTimeout", &settings.watch_timeout, "of a watch");
    binder_.Add("kinds", &settings.kinds, "parents");
  }

  /// Where the file of this test is; WriteFile makes it.
  std::string path() const {
    return testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() +
           ".yaml";
  }
  std::string WriteFile(const std::string& text) const {
    std::ofstream(path()) << text;
    return path();
  }

  absl::StatusOr<Next> Load(std::vector<const char*> arguments,
                            const Environment& environment = {}) {
    arguments.insert(arguments.begin(), "xebec-test");
    return binder_.Load(static_cast<int>(arguments.size()), arguments.data(), environment);
  }
  absl::StatusOr<Next> LoadFile(const std::string& text) {
    return Load({}, {{"XEBEC_CONFIG", WriteFile(text)}});
  }
  std::string Error(std::vector<const char*> arguments, const Environment& environment = {}) {
    return Text(Load(std::move(arguments), environment));
  }
  /// The error of a file, without its name.
  std::string FileError(const std::string& text) {
    const std::string error = Text(LoadFile(text));
    return error.rfind(path(), 0) == 0 ? error.substr(path().size()) : error;
  }

  Binder& binder() { return binder_; }
  Settings settings;

 private:
  static std::string Text(const absl::StatusOr<Next>& next) {
    if (next.ok()) return "loaded";
    EXPECT_EQ(next.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(next.status().message());
  }
  Binder binder_;
};

// ---- where values come from
// -----------------------------------------------------------------------------

TEST(Config, DefaultsStayWithoutAnything) {
  Process process;
  const auto next = process.Load({});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, Next::kRun);
  EXPECT_EQ(process.settings, Settings());
}

TEST(Config, AFileSetsEveryKindOfValue) {
  Process process;
  const auto next = process.LoadFile(
      "listen: 0.0.0.0:1\nlog: {level: debug}\nreflection: true\nlistPage: 7\nqueue: "
      "18446744073709551615\n"
      "lease:\n  duration: 1m30s\nwatchTimeout: 290s\nkinds:\n  - irises.example.com\n  - "
      "podsets.app.example.com\n");
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(process.settings, (Settings{"0.0.0.0:1",
                                        "debug",
                                        true,
                                        7,
                                        UINT64_MAX,
                                        absl::Seconds(90),
                                        absl::Seconds(290),
                                        {"irises.example.com", "podsets.app.example.com"}}));
}

TEST(Config, VariablesSetEveryKindOfValue) {
  Process process;
  const auto next = process.Load({}, {{"XEBEC_LISTEN", "0.0.0.0:1"},
                                      {"XEBEC_LOG_LEVEL", "debug"},
                                      {"XEBEC_REFLECTION", "true"},
                                      {"XEBEC_LIST_PAGE", "7"},
                                      {"XEBEC_QUEUE", "16"},
                                      {"XEBEC_LEASE_DURATION", "2s"},
                                      {"XEBEC_WATCH_TIMEOUT", "500ms"},
                                      {"XEBEC_KINDS", "a, b,"},
                                      {"HOME", "/root"}});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(process.settings, (Settings{"0.0.0.0:1",
                                        "debug",
                                        true,
                                        7,
                                        16,
                                        absl::Seconds(2),
                                        absl::Milliseconds(500),
                                        {"a", "b"}}));
}

TEST(Config, FlagsSetEveryKindOfValue) {
  Process process;
  const auto next = process.Load({"--listen=0.0.0.0:1", "--log-level", "debug", "--reflection",
                                  "--list-page", "7", "--queue=16", "--lease-duration", "2s",
                                  "--watch-timeout=500ms", "--kinds", "a,b", "--kinds=c"});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(process.settings, (Settings{"0.0.0.0:1",
                                        "debug",
                                        true,
                                        7,
                                        16,
                                        absl::Seconds(2),
                                        absl::Milliseconds(500),
                                        {"a", "b", "c"}}));
}

TEST(Config, FlagsBeatVariablesAndVariablesBeatTheFile) {
  Process process;
  const std::string file = process.WriteFile("listen: file\nlog: {level: debug}\nlistPage: 1\n");
  const auto next = process.Load(
      {"--config", file.c_str(), "--listen", "flag"},
      {{"XEBEC_LISTEN", "variable"}, {"XEBEC_LIST_PAGE", "2"}, {"XEBEC_CONFIG", "/nowhere"}});
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(process.settings.listen, "flag");
  EXPECT_EQ(process.settings.page, 2u);
  EXPECT_EQ(process.settings.level, "debug");
}

TEST(Config, ABooleanFlagCanBeTurnedOff) {
  Process process;
  ASSERT_TRUE(process.Load({"--reflection=false"}, {{"XEBEC_REFLECTION", "true"}}).ok());
  EXPECT_FALSE(process.settings.reflection);
}

TEST(Config, AnEmptyFileAndEmptyListsAreFine) {
  Process process;
  EXPECT_TRUE(process.LoadFile("").ok());
  EXPECT_TRUE(process.LoadFile("# nothing but a remark\n").ok());
  process.settings.kinds = {"a"};
  EXPECT_TRUE(process.LoadFile("kinds: []\n").ok());
  EXPECT_THAT(process.settings.kinds, ElementsAre());
}

TEST(Config, WhatKubernetesSetsForServicesIsNoMistake) {
  Process process;
  EXPECT_TRUE(process
                  .Load({}, {{"XEBEC_PLANNER_SERVICE_HOST", "10.0.0.1"},
                             {"XEBEC_PLANNER_SERVICE_PORT", "7443"},
                             {"XEBEC_PLANNER_SERVICE_PORT_GRPC", "7443"},
                             {"XEBEC_PLANNER_PORT", "tcp://10.0.0.1:7443"},
                             {"XEBEC_PLANNER_PORT_7443_TCP", "tcp://10.0.0.1:7443"},
                             {"XEBEC_PLANNER_PORT_7443_TCP_ADDR", "10.0.0.1"},
                             {"XEBEC_PLANNER_PORT_7443_TCP_PORT", "7443"},
                             {"XEBEC_PLANNER_PORT_7443_TCP_PROTO", "tcp"}})
                  .ok());
}

// ---- errors
// ---------------------------------------------------------------------------------------------

TEST(ConfigErrors, OfAFileNameLineAndKey) {
  Process process;
  EXPECT_EQ(process.FileError("listen: a\n\nlease:\n  duration: soon\n"),
            ":4: lease.duration: \"soon\" is not a duration such as 290s, 1m30s or 500ms");
  EXPECT_EQ(process.FileError("lease:\n  duraton: 1s\n"),
            ":2: unknown key lease.duraton (did you mean lease.duration?)");
  EXPECT_EQ(process.FileError("something: else\n"), ":1: unknown key something");
  EXPECT_EQ(process.FileError("listPage: 0\n"),
            ":1: listPage: \"0\" is not a whole number from 1 to 1000");
  EXPECT_EQ(process.FileError("queue: 3\n"),
            ":1: queue: \"3\" is not a whole number of at least 16");
  EXPECT_EQ(process.FileError("queue: -3\n"),
            ":1: queue: \"-3\" is not a whole number of at least 16");
  EXPECT_EQ(process.FileError("reflection: yes\n"),
            ":1: reflection: \"yes\" is neither true nor false");
  EXPECT_EQ(process.FileError("log: {level: loud}\n"),
            ":1: log.level: \"loud\" is not one of debug, info");
  EXPECT_EQ(process.FileError("lease: {duration: 10ms}\n"),
            ":1: lease.duration: \"10ms\" is shorter than 1s");
}

TEST(ConfigErrors, OfAFilesFormNameTheLine) {
  Process process;
  EXPECT_EQ(process.FileError("kinds: a\n"), ":1: kinds: must be a list such as [a, b]");
  EXPECT_EQ(process.FileError("kinds: [[a]]\n"), ":1: kinds: an element must be a single value");
  EXPECT_EQ(process.FileError("listen: [a]\n"), ":1: listen: must be a single value, not a list");
  EXPECT_EQ(process.FileError("listen:\n"), ":1: listen: has no value");
  EXPECT_EQ(process.FileError("listen: a\nlisten: b\n"), ":2: listen: appears twice");
  EXPECT_EQ(process.FileError("[a]: b\n"), ":1: a key must be a word");
  EXPECT_EQ(process.FileError("- a\n"),
            ":1: expected keys with values, such as \"log: {level: info}\"");
  EXPECT_EQ(process.FileError("listen: a\n---\nlisten: b\n"), ":3: only one document is accepted");
  EXPECT_EQ(process.FileError("listen: \"a\nqueue: 17\n"), ":1: listen: the quote is never closed");
  EXPECT_EQ(process.FileError("log:\n  level: 'it''s\n"),
            ":2: log.level: the quote is never closed");
  EXPECT_EQ(process.FileError("listen: [a\n"), ":2: end of sequence flow not found");
  EXPECT_EQ(process.FileError("log:\n\tlevel: a\n"), ":2: illegal map value");
}

TEST(ConfigErrors, OfAFileThatEndlesslyRefersToItselfIsAnErrorToo) {
  Process process;
  EXPECT_THAT(process.FileError("a: &x\n  b: *x\n"),
              HasSubstr("too many or too deeply nested keys"));
  EXPECT_NE(process.FileError(std::string(100'000, '[')), "loaded");
  EXPECT_NE(process.FileError(std::string(100'000, '{')), "loaded");
}

TEST(ConfigErrors, OfAFileThatCannotBeReadNameIt) {
  Process process;
  EXPECT_EQ(process.Error({"--config", "/no/such.yaml"}),
            "cannot read the configuration file /no/such.yaml: it cannot be opened");
  EXPECT_THAT(process.FileError(std::string((1 << 20) + 1, '#')),
              HasSubstr("it is larger than 1 MiB"));
}

TEST(ConfigErrors, OfVariablesNameThem) {
  Process process;
  EXPECT_EQ(process.Error({}, {{"XEBEC_WATCH_TIMEOUT", "290"}}),
            "XEBEC_WATCH_TIMEOUT: \"290\" is not a duration such as 290s, 1m30s or 500ms");
  EXPECT_EQ(process.Error({}, {{"XEBEC_WATCHTIMEOUT", "1s"}}),
            "unknown variable XEBEC_WATCHTIMEOUT (did you mean XEBEC_WATCH_TIMEOUT?)");
}

TEST(ConfigErrors, OfFlagsNameThem) {
  Process process;
  EXPECT_EQ(process.Error({"--watch-timeout", "-1s"}),
            "--watch-timeout: \"-1s\" is not a duration such as 290s, 1m30s or 500ms");
  EXPECT_EQ(process.Error({"--watch-timeout=inf"}),
            "--watch-timeout: \"inf\" is not a duration such as 290s, 1m30s or 500ms");
  EXPECT_EQ(process.Error({"--lisen", "a"}),
            "unknown flag --lisen (did you mean --listen?); --help lists all");
  EXPECT_EQ(process.Error({"--lisen=a"}),
            "unknown flag --lisen (did you mean --listen?); --help lists all");
  EXPECT_EQ(process.Error({"serve"}), "unexpected argument \"serve\": only flags are accepted");
  EXPECT_EQ(process.Error({"--listen", "a", "--listen", "b"}), "--listen: given more than once");
  EXPECT_EQ(process.Error({"--listen"}), "--listen: needs a value");
  EXPECT_EQ(process.Error({"--reflection=maybe"}),
            "--reflection: \"maybe\" is neither true nor false");
}

TEST(ConfigErrors, TwoSettingsOfOneNameAreTheProgramsMistake) {
  Process process;
  bool field = false;
  process.binder().Add("log-level", &field, "clashes");
  EXPECT_EQ(process.Load({}).status().code(), absl::StatusCode::kInternal);
}

// ---- what is printed
// ------------------------------------------------------------------------------------

TEST(Config, PrintedSettingsReadBackTheSame) {
  Process process;
  process.settings = {"a: \"b\" # c\n\t",
                      "debug",
                      true,
                      7,
                      UINT64_MAX,
                      absl::Milliseconds(1500),
                      absl::ZeroDuration(),
                      {"x, y", "", "true", "~", "ä"}};
  Process second;
  const auto next = second.LoadFile(process.binder().Print());
  ASSERT_TRUE(next.ok()) << next.status() << process.binder().Print();
  EXPECT_EQ(second.settings, process.settings) << process.binder().Print();
}

TEST(Config, DefaultsArePrintedWithTheirGroups) {
  EXPECT_EQ(Process().binder().Print(),
            "listen: \"127.0.0.1:7442\"\nlog:\n  level: \"info\"\nreflection: false\nlistPage: "
            "500\nqueue: 4096\n"
            "lease:\n  duration: 15s\nwatchTimeout: 7m\nkinds: []\n");
}

TEST(Config, HelpVersionAndPrintConfigAreAnsweredAndEnd) {
  for (const char* flag : {"--help", "-h", "--version", "--print-config"}) {
    Process process;
    testing::internal::CaptureStdout();
    const auto next = process.Load({flag, "--listen", "x"});
    const std::string printed = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(*next, Next::kExit) << flag;
    EXPECT_NE(printed, "") << flag;
  }
}

TEST(Config, VersionIsProgramAndVersion) {
  testing::internal::CaptureStdout();
  ASSERT_TRUE(Process().Load({"--version"}).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "xebec-test 1.2.3\n");
}

TEST(Config, PrintConfigShowsWhatWouldBeUsed) {
  testing::internal::CaptureStdout();
  ASSERT_TRUE(
      Process().Load({"--print-config", "--listen", "here"}, {{"XEBEC_LIST_PAGE", "3"}}).ok());
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_THAT(printed, HasSubstr("listen: \"here\"\n"));
  EXPECT_THAT(printed, HasSubstr("listPage: 3\n"));
}

TEST(Config, HelpNamesEveryFlagWithItsDefault) {
  const std::string help = Process().binder().Help();
  EXPECT_THAT(help, HasSubstr("Usage: xebec-test [flags]\n\nTests.\n"));
  EXPECT_THAT(help, HasSubstr("  --lease-duration DURATION  of a Lease (default 15s)\n"));
  EXPECT_THAT(help,
              HasSubstr("  --log-level TEXT           least level: debug, info (default info)\n"));
  EXPECT_THAT(help, HasSubstr("  --reflection               answer reflection (default false)\n"));
  EXPECT_THAT(help, HasSubstr("  --kinds A,B                parents\n"));
  EXPECT_THAT(help, HasSubstr("  --config FILE "));
}

TEST(ProcessEnvironment, HasThePath) { EXPECT_NE(ProcessEnvironment().count("PATH"), 0u); }

}  // namespace
}  // namespace xebec::config
