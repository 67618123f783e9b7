// SPDX-License-Identifier: Apache-2.0
#include "common/kube/subprocess.h"

#include <gtest/gtest.h>

#include <csignal>

#include "absl/strings/numbers.h"

namespace xebec::kube::internal {
namespace {

ProcessSpec Shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", script};
  spec.timeout = absl::Seconds(60);
  return spec;
}

TEST(RunProcess, GivesOutputErrorsAndExitCode) {
  const auto result = RunProcess(Shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->error_tail, "err\n");
}

TEST(RunProcess, ReadsMoreThanAPipeHolds) {
  const auto result = RunProcess(Shell("head -c 500000 /dev/zero; head -c 500000 /dev/zero >&2"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output.size(), 500000u);
  EXPECT_EQ(result->error_tail.size(), 4096u);
}

TEST(RunProcess, StopsAtTheLimits) {
  ProcessSpec endless = Shell("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
  endless.max_output = 100000;
  EXPECT_EQ(RunProcess(endless).status().code(), absl::StatusCode::kResourceExhausted);
  ProcessSpec slow = Shell("sleep 600");
  slow.timeout = absl::Milliseconds(50);
  EXPECT_EQ(RunProcess(slow).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(RunProcess, DoesNotWaitForDaemonsThatKeepThePipesOpen) {
  const auto result = RunProcess(Shell("sleep 600 & echo $!"));
  ASSERT_TRUE(result.ok()) << result.status();
  int daemon = 0;
  ASSERT_TRUE(absl::SimpleAtoi(result->output, &daemon)) << result->output;
  EXPECT_EQ(kill(daemon, SIGKILL), 0) << "it had ended already";
}

TEST(RunProcess, SaysThatThereIsNoSuchProgram) {
  ProcessSpec spec;
  spec.argv = {"xebec-no-such-program"};
  spec.timeout = absl::Seconds(60);
  EXPECT_EQ(RunProcess(spec).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace xebec::kube::internal
