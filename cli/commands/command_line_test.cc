// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_line.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Said {
  int code;
  std::string out, err;
};

Said Say(std::vector<const char*> words, const std::string& typed = "") {
  words.insert(words.begin(), "xebec");
  std::istringstream in(typed);
  std::ostringstream out, err;
  const int code = Main(static_cast<int>(words.size()), words.data(), in, out, err);
  return {code, out.str(), err.str()};
}

constexpr char kIris[] =
    "apiVersion: example.com/v1alpha1\nkind: Iris\nmetadata: {name: web}\nspec: {replicas: 2}\n";

TEST(CommandLine, UsageErrorsExitWith2) {
  for (const auto& words : std::vector<std::vector<const char*>>{{},
                                                                 {"plans"},
                                                                 {"plan"},
                                                                 {"plan", "-f", "x", "--typo"},
                                                                 {"plan", "-f", "x", "-o", "xml"},
                                                                 {"keys", "--timeout", "soon"},
                                                                 {"keys", "--watcher", "no-port"},
                                                                 {"explain", "iris"},
                                                                 {"explain", "iris/web", "web"},
                                                                 {"keys", "--timeout", "0"}}) {
    const Said said = Say(words);
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr(": usage error: "), EndsWith(" --help\" for usage.\n")));
    EXPECT_THAT(said.out, IsEmpty());
  }
}

TEST(CommandLine, UsageErrorsNameTheArgumentAndWhatIsAccepted) {
  const auto error = [](const std::vector<const char*>& words) {
    const std::string err = Say(words).err;
    return err.substr(0, err.find('\n'));
  };
  EXPECT_EQ(error({"plans"}), "xebec: usage error: unknown command plans (did you mean plan?)");
  EXPECT_EQ(error({"plan", "-f", "x", "--ouput=json"}),
            "xebec plan: usage error: unknown flag --ouput (did you mean --output?)");
  EXPECT_EQ(error({"plan", "-f", "x", "--zzz"}), "xebec plan: usage error: unknown flag --zzz");
  EXPECT_EQ(error({"explain", "iris/web", "web", "more"}),
            "xebec explain: usage error: unexpected argument more");
  EXPECT_EQ(error({}),
            "xebec: usage error: missing command: must be one of plan, diff, keys, explain, "
            "observation, activity, watchers, check, hook");
  EXPECT_EQ(error({"plan"}), "xebec plan: usage error: missing flag --filename");
  EXPECT_EQ(error({"explain"}), "xebec explain: usage error: missing argument KIND");
  EXPECT_EQ(error({"plan", "-f", "x", "-o", "xml"}),
            "xebec plan: usage error: invalid value \"xml\" for --output: must be text or json");
  EXPECT_EQ(error({"keys", "--timeout", "soon"}),
            "xebec keys: usage error: invalid value \"soon\" for --timeout: must be a duration of "
            "at least 1ms, such as 500ms or 1m30s");
}

TEST(CommandLine, HelpAndVersionAreAnswers) {
  EXPECT_THAT(Say({"--help"}).out, AllOf(HasSubstr("explain"), HasSubstr("Exit status")));
  EXPECT_THAT(Say({"plan", "--help"}).out, HasSubstr("--filename"));
  EXPECT_THAT(Say({"--version"}).out, StartsWith("xebec "));
  EXPECT_EQ(Say({"--help"}).code, 0);
}

TEST(CommandLine, PlansAManifestWithoutAnyService) {
  const Said said = Say({"plan", "-f", "-"}, kIris);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("Iris web: 1 operation\n"),
                              HasSubstr("+   apply   Deployment"), HasSubstr("Note: ")));
}

TEST(CommandLine, DiffShowsNewFieldsAndExitsWith1) {
  const Said said = Say({"diff", "-f", "-"}, kIris);
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("Iris web\n  + Deployment"),
                              HasSubstr("\n      spec.replicas: 2\n")));
  EXPECT_EQ(Say({"diff", "-f", "/nonexistent/iris.yaml"}).code, 2);
}

TEST(CommandLine, ADiffThatIsNotKnownIsNotZero) {
  const Said said = Say({"diff", "-f", "-"}, "apiVersion: v1\nkind: Unknown\n");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out, HasSubstr("The parent is invalid"));
  EXPECT_EQ(said.err, "xebec diff: cannot plan 1 of 1 parent\n");
}

/// A Database of which a Pod has been missing for 20 s: the watcher would read its Events.
TEST(CommandLine, PlansWithoutTheEventsThatOnlyTheWatcherReads) {
  std::ifstream file("tests/interaction/testdata/database_first_replica_ready.observation.json");
  Json observation = Json::parse(file);
  observation["now"] = "2026-01-01T00:00:20Z";
  observation["parent"]["object"]["spec"]["replicas"] = 5;
  for (Json& group : observation["children"]) {
    if (group["type"]["kind"] != "StatefulSet") continue;
    group["objects"][0]["object"]["status"]["replicas"] = 1;
  }
  const Said said = Say({"diff", "-f", "-"}, Json{{"observation", observation}}.dump());
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.out, HasSubstr("spec.replicas: 2 -> 5\n"));
}

TEST(CommandLine, ThePlanAsJsonIsTheContractsMessage) {
  const Said said = Say({"plan", "-f", "-", "-o", "json"}, kIris);
  EXPECT_THAT(said.out, AllOf(StartsWith("{"), HasSubstr("\"verdict\": \"VERDICT_OK\""),
                              HasSubstr("\"replicas\": 2")));
}

TEST(CommandLine, AParentThatCannotBePlannedFailsItAfterTheOthersWerePlanned) {
  const Said said =
      Say({"plan", "-f", "-"}, std::string("apiVersion: v1\nkind: Unknown\n---\n") + kIris);
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("The parent is invalid"), HasSubstr("Iris web: 1 operation")));
  EXPECT_EQ(said.err, "xebec plan: cannot plan 1 of 2 parents\n");
}

TEST(CommandLine, AFlagThatIsGivenNothingDoesNotTakeTheNextWord) {
  const Said said =
      Say({"explain", "--namespace=", "iris", "web", "--watcher=unix:/nonexistent/s"});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, StartsWith("xebec explain: watcher at unix:/nonexistent/s: "));
}

TEST(CommandLine, APlanThatNeedsNoServiceNeedsNoCertificate) {
  EXPECT_EQ(Say({"plan", "-f", "-", "--tls-certificate", "/nonexistent/tls.crt"}, kIris).code, 0);
  EXPECT_THAT(Say({"keys", "--tls-certificate", "/nonexistent/tls.crt"}).err,
              AllOf(StartsWith("xebec keys: "), HasSubstr("the key is missing")));
}

TEST(CommandLine, AnAnswerThatCannotBeWrittenIsNoSuccess) {
  std::istringstream in(kIris);
  std::ostringstream err;
  std::ofstream full("/dev/full");
  const char* words[] = {"xebec", "plan", "-f", "-"};
  EXPECT_EQ(Main(4, words, in, full, err), 1);
  EXPECT_EQ(err.str(), "xebec plan: cannot write the output\n");
}

TEST(CommandLine, KeysTakesAKindAndNoName) {
  EXPECT_THAT(Say({"keys", "iris/web"}).err,
              StartsWith("xebec keys: keys lists the parents of a kind"));
}

TEST(CommandLine, AFileOrServiceThatIsNotThereIsNamed) {
  EXPECT_EQ(Say({"plan", "-f", "/"}).err, "xebec plan: / is a directory; pass the files in it\n");
  EXPECT_EQ(Say({"plan", "-f", "/nonexistent/iris.yaml"}).err,
            "xebec plan: cannot read /nonexistent/iris.yaml\n");
  const Said keys = Say({"keys", "--watcher", "unix:/nonexistent/socket"});
  EXPECT_EQ(keys.code, 1);
  EXPECT_THAT(keys.err, StartsWith("xebec keys: watcher at unix:/nonexistent/socket: "));
  EXPECT_THAT(Say({"plan", "-f", "-", "--planner", "unix:/nonexistent/socket"}, kIris).err,
              StartsWith("xebec plan: Iris web: planner at unix:/nonexistent/socket: "));
}

}  // namespace
}  // namespace xebec::cli
