// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_method.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kUnprocessable = 422;
constexpr int kTooManyRequests = 429;
constexpr int kNotImplemented = 501;
constexpr uint32_t kMostCutStreams = 3;
constexpr uint32_t kMostHalvings = 16;  // a page has one object at least
constexpr uint32_t kMostGrowth = 3;     // each is a factor of four: 500 → 32,000

// 400 and 422 are what a server answers to options of a streaming list that it does not take.
bool RefusesStreaming(int status) {
  const bool client_error = status >= kBadRequest && status <= kUnprocessable &&
                            status != kUnauthorized && status != kForbidden &&
                            status != kNotFound && status != kGone;
  return client_error || status == kNotImplemented;
}

bool Expired(const ApiFailure& failure) {
  return failure.http_status == kGone || failure.reason == "Expired" || failure.reason == "Gone";
}

}  // namespace

// Whatever answers 404 for the core group (a proxy, say) does not know: it is always served.
FailureKind KindOf(const ApiFailure& failure, const ResourceType& type) {
  if (failure.http_status == kNotFound && !type.group.empty()) return FailureKind::kMissing;
  return Expired(failure) ? FailureKind::kExpired : FailureKind::kOther;
}

bool ListMethod::streaming() const { return !refused_ && cut_streams_ < kMostCutStreams; }

uint32_t ListMethod::PageSize(uint32_t usual) const {
  return std::max(1u, (usual << (2 * page_growth_)) >> page_halvings_);
}

// A list by pages that expires before its last page is too long for its pages: with larger ones it
// is done sooner. A page that breaks off is too large.
FailureKind ListMethod::OnFailure(bool streaming, uint32_t pages, const ApiFailure& failure) {
  const int status = failure.http_status;
  if (Expired(failure)) {
    if (pages > 0) page_growth_ = std::min(page_growth_ + 1, kMostGrowth);
    return FailureKind::kExpired;
  }
  if (!streaming) {
    if (status == 0) page_halvings_ = std::min(page_halvings_ + 1, kMostHalvings);
    return FailureKind::kOther;
  }
  if (RefusesStreaming(status)) {
    refused_ = true;
    return FailureKind::kStreamingRefused;
  }
  if (status != kTooManyRequests && status != kForbidden) ++cut_streams_;
  return FailureKind::kOther;
}

void ListMethod::OnSilence() { cut_streams_ = kMostCutStreams; }

void ListMethod::OnListed() {
  cut_streams_ = 0;
  page_growth_ = 0;
}

}  // namespace xebec::watcher
