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
#include "cli/commands/plan.h"
#include "cli/commands/questions.h"
#include "cli/text/words.h"
#include "common/base/strings.h"
#include "common/program/program.h"
#include "common/telemetry/process.h"

namespace xebec::cli {
namespace {

constexpr char kFooter[] =
    "Examples:\n"
    "  # What would be written for a manifest; no cluster is needed\n"
    "  xebec plan -f examples/iris/iris.yaml\n\n"
    "  # Why a parent is where it is, asked in the watcher's Pod\n"
    "  kubectl -n xebec-system exec deployment/xebec-watcher -- xebec explain iris/sample\n\n"
    "  # What would be written for it now\n"
    "  xebec observation iris/sample | xebec plan -f -\n\n"
    "Exit codes: 0 done, 1 it could not be done, 2 the command line cannot be meant.";

/// What the commands share.
struct Context {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  absl::Status wrong;                    ///< What cannot be meant of what was read.
  std::function<absl::Status()> chosen;  ///< Carries out the command that was read.
};

/// A question to a watcher; about one parent, or one kind and namespace.
struct Question {
  Asking asking{"localhost:7442", {}, false};
  ParentName parent;
};

void AddPlan(CLI::App& xebec, Context& context) {
  CLI::App* app =
      xebec.add_subcommand("plan", "Print what would be written for a parent; nothing is done");
  const auto options = std::make_shared<PlanOptions>();
  app->add_option("-f,--filename", options->files,
                  "Manifests of parents, or observations, as YAML or JSON; - is standard input")
      ->required()
      ->type_name("FILE");
  AddAddress(app, "--planner", &options->planner,
             "Planner to ask; without: this program plans, by its built-in kinds");
  AddOutput(app, &options->json);
  AddTransport(app, &options->transport);
  app->callback([&context, options] {
    context.chosen = [&context, options] { return MakePlans(*options, context.in, context.out); };
  });
}

void AddKeys(CLI::App& xebec, Context& context) {
  CLI::App* app =
      xebec.add_subcommand("keys", "List the parents that are known, and where each of them is");
  const auto asked = std::make_shared<Question>();
  app->add_option("kind", asked->parent.kind, "Plural, kind or plural.group; without: all")
      ->type_name("KIND");
  app->add_option("-n,--namespace", asked->parent.ns, "Of one namespace; without: of all")
      ->type_name("NAMESPACE");
  AddOutput(app, &asked->asking.json);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked] {
    context.chosen = [&context, asked] {
      return AskForKeys(asked->asking, asked->parent.kind, asked->parent.ns, context.out);
    };
  });
}

using AskAbout = absl::Status (*)(const Asking&, const ParentName&, std::ostream&);

/// What explain and observation have in common: a question about one parent.
CLI::App* AddAbout(CLI::App& xebec, Context& context, const std::shared_ptr<Question>& asked,
                   const char* name, const char* help, AskAbout ask) {
  CLI::App* app = xebec.add_subcommand(name, help);
  asked->parent.ns = "default";
  AddParent(app, &asked->parent);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked, ask] {
    const ParentName& said = asked->parent;
    const absl::StatusOr<ParentName> parent = ReadParentName(said.kind, said.name, said.ns);
    context.wrong = parent.status();
    context.chosen = [&context, asked, ask, parent] {
      return ask(asked->asking, *parent, context.out);
    };
  });
  return app;
}

void AddExplain(CLI::App& xebec, Context& context) {
  const auto asked = std::make_shared<Question>();
  CLI::App* app = AddAbout(xebec, context, asked, "explain",
                           "Say why a parent is where it is, and what it waits for", AskWhy);
  AddOutput(app, &asked->asking.json);
}

void AddObservation(CLI::App& xebec, Context& context) {
  AddAbout(xebec, context, std::make_shared<Question>(), "observation",
           "Print what a planner would be sent for a parent now, as JSON", AskForObservation);
}

void AddActivity(CLI::App& xebec, Context& context) {
  CLI::App* app = xebec.add_subcommand("activity", "Follow what a watcher does, line by line");
  const auto asked = std::make_shared<Question>();
  AddOutput(app, &asked->asking.json);
  AddAsking(app, &asked->asking);
  app->callback([&context, asked] {
    context.chosen = [&context, asked] {
      return FollowActivity(asked->asking, context.out, context.err);
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
      "check", "Ask the three services for health, and every planner for one plan");
  const auto options = std::make_shared<CheckOptions>();
  AddAddress(app, "--watcher", &options->watcher, "Watchers to ask; without: none");
  AddAddress(app, "--planner", &options->planner, "Planners to ask");
  AddAddress(app, "--applier", &options->applier, "Appliers to ask");
  AddDuration(app, "--wait", &options->wait, absl::ZeroDuration(),
              "For how long to try anew while something is wrong");
  AddTransport(app, &options->transport);
  app->callback([&context, options] {
    context.chosen = [&context, options] { return PrintCheck(*options, context.out); };
  });
}

std::string Complaint(const std::string& what) {
  return absl::StrCat("xebec: ", OneLine(what), "; --help tells what there is\n");
}

void AddAll(CLI::App& xebec, Context& context) {
  xebec.require_subcommand(1);
  xebec.set_version_flag("--version", "xebec " + telemetry::Version(), "Print the version");
  xebec.failure_message(
      [](const CLI::App* /*app*/, const CLI::Error& error) { return Complaint(error.what()); });
  AddPlan(xebec, context);
  AddKeys(xebec, context);
  AddExplain(xebec, context);
  AddObservation(xebec, context);
  AddActivity(xebec, context);
  AddCheck(xebec, context);
  xebec.footer(kFooter);  // last: commands would inherit it
}

/// What was asked for, and that it could be written.
absl::Status CarryOut(const Context& context) {
  absl::Status done = context.chosen();
  if (!done.ok()) return done;
  context.out.flush();
  return context.out ? done : absl::DataLossError("the answer could not be written");
}

}  // namespace

int Main(int argc, const char* const* argv, std::istream& in, std::ostream& out,
         std::ostream& err) {
  CLI::App xebec("Asks Xebec what it would do, what it does, and why.", "xebec");
  Context context{in, out, err, {}, {}};
  AddAll(xebec, context);
  try {
    xebec.parse(WordsOf(argc, argv));
  } catch (const CLI::ParseError& error) {
    return xebec.exit(error, out, err) == 0 ? program::kDone : program::kUsage;
  }
  if (!context.wrong.ok()) {
    err << Complaint(std::string(context.wrong.message()));
    return program::kUsage;
  }
  const absl::Status done = CarryOut(context);
  if (done.ok()) return program::kDone;
  err << "xebec " << xebec.get_subcommands().front()->get_name() << ": "
      << OneLine(ToStd(done.message())) << "\n";
  return program::kFailed;
}

}  // namespace xebec::cli
