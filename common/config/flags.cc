// SPDX-License-Identifier: Apache-2.0
#include "common/config/flags.h"

#include <deque>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/config/names.h"

namespace xebec::config {
namespace {

std::string Flag(const Binding& binding) { return "--" + FlagName(binding.key); }

/// One command line. CLI11 splits it; every value is text until a binding parses it.
class CommandLine {
 public:
  explicit CommandLine(const std::vector<Binding>& bindings) : bindings_(bindings) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.add_flag("-h,--help", flags_.help);
    app_.add_flag("--version", flags_.version);
    app_.add_flag("--print-config", flags_.print_config);
    app_.add_option("--config", flags_.config)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    for (const Binding& binding : bindings) AddFlag(binding);
  }

  absl::StatusOr<Flags> Read(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ArgumentMismatch& error) {  // "--listen: 1 required TEXT missing"
      const std::string text = error.what();
      return absl::InvalidArgumentError(
          absl::StrCat(text.substr(0, text.find(':')), ": needs a value"));
    } catch (const CLI::ParseError& error) {
      return absl::InvalidArgumentError(error.what());
    }
    XEBEC_RETURN_IF_ERROR(CheckExtras());
    XEBEC_RETURN_IF_ERROR(Collect());
    return std::move(flags_);
  }

 private:
  void AddFlag(const Binding& binding) {
    std::vector<std::string>& values = values_.emplace_back();
    CLI::Option* option =
        binding.kind == Binding::Kind::kBool
            ? app_.add_flag(Flag(binding) + "{true}", values)
            : app_.add_option(Flag(binding), values)->expected(1)->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    options_.push_back(option);
  }

  absl::Status CheckExtras() const {
    for (const std::string& extra : app_.remaining()) {
      if (!absl::StartsWith(extra, "-")) {
        return absl::InvalidArgumentError(
            absl::StrCat("unexpected argument \"", extra, "\": only flags are accepted"));
      }
      const std::string name = extra.substr(0, extra.find('='));
      std::vector<std::string> known = {"--config", "--help", "--print-config", "--version"};
      for (const Binding& binding : bindings_) known.push_back(Flag(binding));
      return absl::InvalidArgumentError(
          absl::StrCat("unknown flag ", name, DidYouMean(name, known), "; --help lists all"));
    }
    return absl::OkStatus();
  }

  absl::Status Collect() {
    for (size_t i = 0; i < bindings_.size(); ++i) {
      if (options_[i]->count() == 0) continue;
      if (bindings_[i].kind != Binding::Kind::kList && values_[i].size() > 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(Flag(bindings_[i]), ": given more than once"));
      }
      flags_.values[bindings_[i].key] = values_[i];
    }
    return absl::OkStatus();
  }

  const std::vector<Binding>& bindings_;
  CLI::App app_;
  Flags flags_;
  std::deque<std::vector<std::string>> values_;  // deque: the addresses of elements must not change
  std::vector<CLI::Option*> options_;
};

}  // namespace

absl::StatusOr<Flags> ReadFlags(int argc, const char* const* argv,
                                const std::vector<Binding>& bindings) {
  return CommandLine(bindings).Read(argc, argv);
}

}  // namespace xebec::config
