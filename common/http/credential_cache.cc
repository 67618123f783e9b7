// SPDX-License-Identifier: Apache-2.0
#include "common/http/credential_cache.h"

#include <utility>

namespace xebec::http::internal {
namespace {

/// The age at which credentials are fetched again, while requests continue to use them.
constexpr absl::Duration kRefreshAge = absl::Seconds(30);
/// The age at which requests wait for new credentials. (The source has its own cache and answers at
/// once.)
constexpr absl::Duration kMaxAge = absl::Seconds(60);
/// The interval between two calls of the source after an error.
constexpr absl::Duration kRetryPause = absl::Seconds(1);

bool Same(const kube::Credentials& a, const kube::Credentials& b) {
  return a.client_cert_pem == b.client_cert_pem && a.client_key_pem == b.client_key_pem &&
         a.bearer_token == b.bearer_token && a.basic_user == b.basic_user &&
         a.basic_password == b.basic_password && a.ca_pem == b.ca_pem;
}

}  // namespace

CredentialCache::Answer CredentialCache::Want(absl::Duration now) {
  if (Waiting()) return {Verdict::kWait};
  const absl::Duration age = now - asked_;
  if (!error_.ok() && age < kRetryPause) return {current_ ? Verdict::kGo : Verdict::kFailed};
  const bool stale = !error_.ok() || age > kRefreshAge;
  if (current_ && !stale) return {Verdict::kGo};
  const bool was_idle = state_ == State::kIdle;
  // After an error the old credentials stay in use: only the server knows whether they are still
  // valid.
  const bool usable = current_ && (!error_.ok() || age <= kMaxAge);
  state_ = usable ? State::kRefreshing : State::kBlocked;
  return {usable ? Verdict::kGo : Verdict::kWait, was_idle ? Question::kGet : Question::kNone};
}

CredentialCache::Answer CredentialCache::Refused(uint64_t round) {
  if (Waiting()) return {Verdict::kWait};
  if (round != round_) return {Verdict::kGo};
  state_ = State::kRejected;
  return {Verdict::kWait, Question::kInvalidateAndGet};
}

CredentialCache::Answer CredentialCache::Distrusted(uint64_t round) {
  if (Waiting()) return {Verdict::kWait};
  if (round != round_) return {Verdict::kGo};
  const bool asked = state_ == State::kRefreshing;
  state_ = State::kBlocked;
  return {Verdict::kWait, asked ? Question::kNone : Question::kGet};
}

bool CredentialCache::Arrived(absl::StatusOr<kube::Credentials> credentials, bool invalidated,
                              absl::Duration now) {
  // the Get started before the server's refusal
  if (state_ == State::kRejected && !invalidated) return false;
  state_ = State::kIdle;
  asked_ = now;
  ++round_;
  error_ = credentials.status();
  if (credentials.ok() && !(current_ && Same(current_->credentials, *credentials))) {
    current_ = Prepare(*std::move(credentials));
  }
  return true;
}

}  // namespace xebec::http::internal
