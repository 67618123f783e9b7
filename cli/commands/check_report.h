// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xebec::cli {

/// The results of checks, in order.
class CheckReport {
 public:
  /// The results that follow are about `subject`.
  void Begin(const std::string& subject) { subject_ = subject; }
  void Pass(const std::string& check, const std::string& message) { Add(check, true, message); }
  /// `message` says what is wrong and what to do.
  void Fail(const std::string& check, const std::string& message) { Add(check, false, message); }

  size_t size() const { return results_.size(); }
  size_t failed() const;

  /// Returns one line for each result: "ok" or "FAIL", the check and the message. A line with a
  /// subject is before its results.
  std::string Text() const;
  /// Returns an object with the array "checks".
  std::string Json() const;

 private:
  struct Result {
    std::string subject, check;
    bool ok = false;
    std::string message;
  };
  void Add(const std::string& check, bool ok, const std::string& message);

  std::string subject_;
  std::vector<Result> results_;
};

}  // namespace xebec::cli
