// SPDX-License-Identifier: Apache-2.0
#include "common/program/program.h"

#include <csignal>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::program {
namespace {

struct Ended {
  int code;
  std::string said, complained;
  bool operator==(const Ended&) const = default;
};

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    program_.name = "xebec-tester";
    program_.summary = "Tests.";
    program_.bind = [this](config::Binder& binder) { binder.Add("count", &count_, "how many"); };
    program_.run = [this] { return ran_ = true, result_; };
  }

  Ended Run(std::vector<std::string> arguments) {
    std::vector<char*> argv = {program_.name.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = Main(program_, static_cast<int>(argv.size()), argv.data(), {});
    std::string said = ::testing::internal::GetCapturedStdout();
    return {code, std::move(said), ::testing::internal::GetCapturedStderr()};
  }

  Program program_;
  uint32_t count_ = 3;
  bool ran_ = false;
  absl::Status result_;
};

TEST_F(ProgramTest, RunsWithItsSettings) {
  EXPECT_EQ(Run({"--count=5"}), (Ended{kDone, "", ""}));
  EXPECT_TRUE(ran_);
  EXPECT_EQ(count_, 5u);
}

TEST_F(ProgramTest, AFailureIsOneLineUnderItsName) {
  result_ = absl::UnavailableError("nobody is there");
  EXPECT_EQ(Run({}), (Ended{kFailed, "", "xebec-tester: nobody is there\n"}));
}

TEST_F(ProgramTest, SettingsThatCannotBeMeantAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(Run({"--count=many"}).code, kUsage);
  program_.validate = [] { return absl::InvalidArgumentError("count: too few"); };
  EXPECT_EQ(Run({}), (Ended{kUsage, "", "xebec-tester: count: too few\n"}));
  EXPECT_FALSE(ran_);
}

TEST_F(ProgramTest, ALevelThatIsNoneIsRefused) {
  program_.log = [] { return telemetry::LogOptions{.component = "tester", .level = "loud"}; };
  EXPECT_EQ(Run({}).code, kUsage);
  EXPECT_FALSE(ran_);
}

bool StopIsBlocked() {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGTERM) == 1;
}

TEST_F(ProgramTest, OnlyAProgramThatWaitsForSigtermOutlivesIt) {
  bool blocked = true;
  program_.log = [] { return telemetry::LogOptions{.component = "tester"}; };
  program_.run = [&blocked] { return blocked = StopIsBlocked(), absl::OkStatus(); };
  EXPECT_EQ(Run({}).code, kDone);
  EXPECT_FALSE(blocked);
  program_.waits_for_stop = true;
  EXPECT_EQ(Run({}).code, kDone);
  EXPECT_TRUE(blocked);
}

TEST_F(ProgramTest, HelpIsAnsweredAndNothingRuns) {
  program_.validate = [] { return absl::InvalidArgumentError("count: too few"); };
  const Ended ended = Run({"--help"});
  EXPECT_EQ(ended.code, kDone);
  EXPECT_THAT(ended.said, ::testing::HasSubstr("Tests."));
  EXPECT_FALSE(ran_);
}

}  // namespace
}  // namespace xebec::program
