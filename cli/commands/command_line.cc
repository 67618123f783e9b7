// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_line.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "cli/commands/check.h"
#include "cli/commands/flags.h"
#include "cli/commands/hook_check.h"
#include "cli/commands/plan.h"
#include "cli/commands/questions.h"
#include "cli/commands/usage.h"
#include "cli/text/words.h"
#include "common/base/strings.h"
#include "common/program/program.h"
#include "common/telemetry/process.h"

namespace xebec::cli {
namespace {

constexpr char kFooter[] =
    "Examples:\n"
    "  # Print the plan for a manifest; no cluster is needed\n"
    "  xebec plan -f examples/iris/iris.yaml\n\n"
    "  # Explain the state of a parent, from the watcher's Pod\n"
    "  kubectl -n xebec-system exec deployment/xebec-watcher -- xebec explain iris/sample\n\n"
    "  # Print the plan for the current state of a parent\n"
    "  xebec observation iris/sample | xebec plan -f -\n\n"
    "Exit status: 0 success, 1 failure, 2 usage error. diff: 0 no differences, 1 differences, "
    "2 failure.";

/// The exit statuses of diff, as kubectl diff has them.
constexpr int kDifferences = 1;
constexpr int kDiffFailed = 2;

/// The state that all commands share.
struct Context {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  absl::Status wrong;                    ///< Why the arguments are invalid, if they are.
  std::function<absl::Status()> chosen;  ///< Runs the command that was read.
  int success = program::kDone;          ///< The exit status if the command succeeds.
  int failure = program::kFailed;        ///< The exit status if it fails.
};

/// A request to a watcher about one parent, or about one kind and namespace.
struct Question {
  Asking asking{"localhost:7442", {}, false};
  ParentName parent;
};

void AddFiles(CLI::App* app, std::vector<std::string>* files, const std::string& help) {
  app->add_option("-f,--filename", *files, help)->required()->type_name("FILE");
}

/// The flags of plan and diff.
std::shared_ptr<PlanOptions> AddPlanOptions(CLI::App* app) {
  const auto options = std::make_shared<PlanOptions>();
  AddFiles(app, &options->files,
           "YAML or JSON file with manifests of parents or with observations, with --hook also "
           "with the Operator and CustomResourceDefinitions; - reads standard input");
  AddAddress(app, "--planner", &options->planner,
             "Address of a planner (default: this program plans, with its built-in kinds)");
  AddHookAddress(app, "--hook", &options->hook,
                 "Address of the hook that decides for parents of an Operator")
      ->excludes("--planner");
  AddTransport(app, &options->transport);
  return options;
}

void AddPlan(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand("plan", "Print the plan for a parent; nothing is written");
  const std::shared_ptr<PlanOptions> options = AddPlanOptions(app);
  app->add_option(
         "--record", options->record,
         "File for the observations with the answers of the hook; plan -f FILE then prints "
         "the same plan without the hook")
      ->needs("--hook")
      ->type_name("FILE");
  AddOutput(app, &options->json);
  app->callback([&context, options] {
    context.chosen = [&context, options] { return MakePlans(*options, context.in, context.out); };
  });
}

absl::Status PrintDiff(const PlanOptions& options, Context& context) {
  const absl::StatusOr<bool> differs = MakeDiffs(options, context.in, context.out);
  if (differs.ok() && *differs) context.success = kDifferences;
  return differs.status();
}

void AddDiff(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand(
      "diff", "Print the fields that the plan for a parent changes, with old and new values");
  const std::shared_ptr<PlanOptions> options = AddPlanOptions(app);
  app->callback([&context, options] {
    context.failure = kDiffFailed;
    context.chosen = [&context, options] { return PrintDiff(*options, context); };
  });
}

void AddKeys(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand("keys", "List the parents and their states");
  const auto asked = std::make_shared<Question>();
  app->add_option("kind", asked->parent.kind, "Kind, plural or plural.group (default: all)")
      ->type_name("KIND");
  app->add_option("-n,--namespace", asked->parent.ns, "Namespace of the parents (default: all)")
      ->type_name("NAMESPACE");
  AddOutput(app, &asked->asking.json);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked] {
    context.chosen = [&context, asked] {
      return AskForKeys(asked->asking, asked->parent.kind, asked->parent.ns, context.out,
                        context.err);
    };
  });
}

using AskAbout = absl::Status (*)(const Asking&, const ParentName&, std::ostream&, std::ostream&);

/// A command with one parent as its argument: explain or observation.
CLI::App* AddAbout(CLI::App& xebec, Context& context, const std::shared_ptr<Question>& asked,
                   const char* name, const char* help, AskAbout ask) {
  CLI::App* app = xebec.add_subcommand(name, help);
  asked->parent.ns = "default";
  AddParent(app, &asked->parent);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked, ask] {
    const ParentName& said = asked->parent;
    absl::StatusOr<ParentName> parent = ReadParentName(said.kind, said.name, said.ns);
    if (parent.ok()) parent->controller = said.controller;
    context.wrong = parent.status();
    context.chosen = [&context, asked, ask, parent] {
      return ask(asked->asking, *parent, context.out, context.err);
    };
  });
  return app;
}

void AddExplain(CLI::App& xebec, Context& context) {
  const auto asked = std::make_shared<Question>();
  CLI::App* app = AddAbout(xebec, context, asked, "explain",
                           "Explain the state of a parent and what it waits for", AskWhy);
  AddOutput(app, &asked->asking.json);
}

void AddObservation(CLI::App& xebec, Context& context) {
  AddAbout(xebec, context, std::make_shared<Question>(), "observation",
           "Print the observation that a planner would receive for a parent, as JSON",
           AskForObservation);
}

void AddActivity(CLI::App& xebec, Context& context) {
  CLI::App* app =
      xebec.add_subcommand("activity", "Print the activity of all watchers until interrupted");
  const auto asked = std::make_shared<Question>();
  AddOutput(app, &asked->asking.json);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked] {
    context.chosen = [&context, asked] {
      return FollowActivity(asked->asking, context.out, context.err);
    };
  });
}

void AddWatchers(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand(
      "watchers", "List the watchers with their buckets, numbers of parents and memory");
  const auto asked = std::make_shared<Question>();
  AddOutput(app, &asked->asking.json);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked] {
    context.chosen = [&context, asked] {
      return AskForWatchers(asked->asking, context.out, context.err);
    };
  });
}

absl::Status PrintCheck(const CheckOptions& options, std::ostream& out) {
  const absl::StatusOr<std::string> found = Check(options);
  if (found.ok()) out << "xebec check: " << *found << "\n";
  return found.status();
}

void AddCheck(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand(
      "check", "Check that all services are serving and that every planner returns a plan");
  const auto options = std::make_shared<CheckOptions>();
  AddAddress(app, "--watcher", &options->watcher,
             "Addresses of the watchers (default: not checked)");
  AddAddress(app, "--planner", &options->planner, "Addresses of the planners");
  AddAddress(app, "--applier", &options->applier, "Addresses of the appliers");
  AddAddress(app, "--hooks", &options->hooks,
             "Addresses of the gateways of hooks (default: not checked)");
  AddDuration(app, "--wait", &options->wait, absl::ZeroDuration(),
              "How long to retry while the check fails");
  AddTransport(app, &options->transport);
  app->callback([&context, options] {
    context.chosen = [&context, options] { return PrintCheck(*options, context.out); };
  });
}

void AddHook(CLI::App& xebec, Context& context) {
  CLI::App* hook = xebec.add_subcommand("hook", "Check a hook, the program of an Operator");
  hook->require_subcommand(1);
  CLI::App* app = hook->add_subcommand("check", "Check whether a hook follows the rules");
  const auto options = std::make_shared<HookCheckOptions>();
  AddHookAddress(app, "address", &options->hook, "Address of the hook: host:port")->required();
  AddFiles(app, &options->files,
           "YAML or JSON file with an observation, or with manifests of a parent, its Operator and "
           "CustomResourceDefinitions; - reads standard input");
  AddOutput(app, &options->json);
  AddTransport(app, &options->transport);
  app->callback([&context, options] {
    context.chosen = [&context, options] { return CheckHook(*options, context.in, context.out); };
  });
}

void AddAll(CLI::App& xebec, Context& context) {
  xebec.require_subcommand(1);
  xebec.set_version_flag("--version", "xebec " + telemetry::Version(), "Print the version");
  AddPlan(xebec, context);
  AddDiff(xebec, context);
  AddKeys(xebec, context);
  AddExplain(xebec, context);
  AddObservation(xebec, context);
  AddActivity(xebec, context);
  AddWatchers(xebec, context);
  AddCheck(xebec, context);
  AddHook(xebec, context);
  xebec.footer(kFooter);  // last: commands would inherit it
}

/// Runs the command and checks that its output was written.
absl::Status Run(const Context& context) {
  absl::Status done = context.chosen();
  if (!done.ok()) return done;
  context.out.flush();
  return context.out ? done : absl::DataLossError("cannot write the output");
}

}  // namespace

int Main(int argc, const char* const* argv, std::istream& in, std::ostream& out,
         std::ostream& err) {
  CLI::App xebec("Shows what Xebec would write, what it is doing, and why.", "xebec");
  Context context{in, out, err, {}, {}};
  AddAll(xebec, context);
  try {
    xebec.parse(WordsOf(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return xebec.exit(error, out, err);  // --help, --version
    err << UsageErrorText(xebec, DescribeUsageError(xebec, error));
    return program::kUsage;
  }
  if (!context.wrong.ok()) {
    err << UsageErrorText(xebec, ToStd(context.wrong.message()));
    return program::kUsage;
  }
  const absl::Status done = Run(context);
  if (done.ok()) return context.success;
  err << CommandName(xebec) << ": " << OneLine(ToStd(done.message())) << "\n";
  return context.failure;
}

}  // namespace xebec::cli
