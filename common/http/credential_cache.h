// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/http/easy_handles.h"

namespace xebec::http::internal {

/// The HTTP thread's copy of the credentials. Decides when to fetch them again. A value without
/// threads or clock.
class CredentialCache {
 public:
  /// The action for a request that is ready to start.
  enum class Verdict {
    kGo,      ///< Start with current().
    kWait,    ///< Wait until Arrived returns true.
    kFailed,  ///< There are no credentials, and the last attempt to fetch them failed with error().
  };
  /// The call of the source that is due now. kInvalidateAndGet calls Invalidate before Get.
  enum class Question { kNone, kGet, kInvalidateAndGet };

  struct Answer {
    Verdict verdict;
    Question question = Question::kNone;
  };

  /// Decides about a request that is ready to start.
  Answer Want(absl::Duration now);
  /// Decides about a request of `round` that got a 401. kGo means that newer credentials have
  /// arrived since; otherwise the request waits.
  Answer Refused(uint64_t round);
  /// Decides about a request of `round` that found a server certificate from an unknown CA. kGo
  /// means that the source has answered since; otherwise the request waits.
  Answer Distrusted(uint64_t round);
  /// Stores an answer of the source. `invalidated` is true for answers to kInvalidateAndGet.
  /// Returns true if waiting requests can go on: they start with current(), or fail with error() if
  /// there are no credentials.
  bool Arrived(absl::StatusOr<kube::Credentials> credentials, bool invalidated, absl::Duration now);

  const std::shared_ptr<const PreparedCredentials>& current() const { return current_; }
  const absl::Status& error() const { return error_; }
  /// The number of answers of the source so far.
  uint64_t round() const { return round_; }

 private:
  bool Waiting() const { return state_ == State::kBlocked || state_ == State::kRejected; }

  enum class State {
    kIdle,
    kRefreshing,  ///< A Get is running; current() may still be used.
    kBlocked,     ///< A Get is running; no request starts before its answer.
    /// The server refused current(); no request starts before the answer to kInvalidateAndGet.
    kRejected,
  };

  std::shared_ptr<const PreparedCredentials> current_;
  absl::Status error_;
  absl::Duration asked_ = -absl::InfiniteDuration();  // time of the last answer, including errors
  uint64_t round_ = 0;
  State state_ = State::kIdle;
};

}  // namespace xebec::http::internal
