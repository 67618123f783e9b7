// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/http/easy_handles.h"

namespace xebec::http::internal {

/// The HTTP thread's copy of the credentials and the decision when to ask for them again. A value
/// without threads or clock.
class CredentialCache {
 public:
  /// What a request that wants to start has to do.
  enum class Verdict {
    kGo,      ///< Start with current().
    kWait,    ///< Wait for the next Arrived.
    kFailed,  ///< There are none and asking has just failed: error().
  };
  /// Whether the source has to be asked now.
  enum class Question { kNone, kGet, kGetAnew };

  struct Answer {
    Verdict verdict;
    Question question = Question::kNone;
  };

  /// A request wants to start.
  Answer Want(absl::Duration now);
  /// A request that was started in `round` got a 401. kGo: newer credentials have come since; kWait
  /// otherwise.
  Answer Refused(uint64_t round);
  /// A request that was started in `round` found that the server's certificate is not of a known
  /// CA. kGo: the source has answered since; kWait otherwise.
  Answer Distrusted(uint64_t round);
  /// The source has answered a question (kGetAnew: `anew`). True when those that wait are to be
  /// looked at: they may start with current(), or have failed with error() when there is none.
  bool Arrived(absl::StatusOr<kube::Credentials> credentials, bool anew, absl::Duration now);

  const std::shared_ptr<const PreparedCredentials>& current() const { return current_; }
  const absl::Status& error() const { return error_; }
  /// Counts the answers of the source.
  uint64_t round() const { return round_; }

 private:
  bool Waiting() const { return state_ == State::kBlocked || state_ == State::kRejected; }

  enum class State {
    kIdle,
    kRefreshing,  ///< Asked; what there is may still be used.
    kBlocked,     ///< Asked; nothing starts before the answer.
    kRejected,    ///< Asked anew, as the server has refused current(); nothing starts before that
                  ///< answer.
  };

  std::shared_ptr<const PreparedCredentials> current_;
  absl::Status error_;
  absl::Duration asked_ = -absl::InfiniteDuration();  // last answer of any kind
  uint64_t round_ = 0;
  State state_ = State::kIdle;
};

}  // namespace xebec::http::internal
