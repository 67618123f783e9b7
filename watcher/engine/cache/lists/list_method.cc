// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_method.h"

#include <algorithm>
#include <cmath>

#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kUnprocessable = 422;
constexpr int kInternalError = 500;
constexpr uint32_t kMostHalvings = 16;  // a page has one object at least
constexpr uint32_t kMostGrowth = 3;     // each is a factor of four: 500 → 32,000

// Kubernetes answers 500 to a shard selector that it cannot read.
bool MayRefuseSelector(int status) {
  return status == kBadRequest || status == kUnprocessable || status == kInternalError;
}

// A server that ignores the selector shows this many objects, all of them kept by it, less often
// than once in a million pages.
bool CannotBeChance(size_t objects, double share) {
  constexpr double kRare = 1e-6;
  return std::pow(share, static_cast<double>(objects)) < kRare;
}

bool Expired(const ApiFailure& failure) {
  return failure.http_status == kGone || failure.reason == "Expired" || failure.reason == "Gone";
}

}  // namespace

bool IsForbidden(const ApiFailure& failure) { return failure.http_status == kForbidden; }

bool IsBadRequest(const ApiFailure& failure) {
  return failure.http_status == kBadRequest || failure.http_status == kUnprocessable;
}

absl::Duration RequestedPause(const ApiFailure& failure) {
  return std::min(failure.retry_after.value_or(absl::ZeroDuration()), kMaxRetryAfter);
}

// Whatever answers 404 for the core group (a proxy, say) does not know: it is always served.
FailureKind KindOf(const ApiFailure& failure, const ResourceType& type) {
  if (failure.http_status == kNotFound && !type.group.empty()) return FailureKind::kMissing;
  return Expired(failure) ? FailureKind::kExpired : FailureKind::kOther;
}

uint32_t ListMethod::PageSize(uint32_t usual) const {
  return std::max(1u, (usual << (2 * page_growth_)) >> page_halvings_);
}

// A list by pages that expires before its last page is too long for its pages: with larger ones it
// is done sooner. A page that breaks off may be too large. If it was not sent, its size was no
// reason.
FailureKind ListMethod::OnFailure(bool selecting, uint32_t pages, const ApiFailure& failure) {
  if (Expired(failure)) {
    if (pages > 0) page_growth_ = std::min(page_growth_ + 1, kMostGrowth);
    return FailureKind::kExpired;
  }
  if (RefusesSelector(selecting, failure)) return FailureKind::kSelectorRefused;
  if (BrokeOff(failure)) page_halvings_ = std::min(page_halvings_ + 1, kMostHalvings);
  return FailureKind::kOther;
}

void ListMethod::OnSelectedPage(const kube::ListPage& page, double share) {
  if (sharding_ == Sharding::kRefused) return;
  const auto of_others = [](const kube::DecodedObject& object) { return object.json == nullptr; };
  const bool others =
      page.foreign > 0 || std::any_of(page.objects.begin(), page.objects.end(), of_others);
  const bool selects = !others && (page.sharded || CannotBeChance(page.objects.size(), share));
  if (selects) sharding_ = Sharding::kConfirmed;
  if (others) sharding_ = Sharding::kUnknown;
}

bool ListMethod::RefusesSelector(bool selecting, const ApiFailure& failure) {
  if (!MayRefuseSelector(failure.http_status)) return false;
  if (selecting) {
    sharding_ = Sharding::kRefused;
  } else if (sharding_ == Sharding::kRefused) {
    sharding_ = Sharding::kUnknown;
  }
  return selecting;
}

void ListMethod::OnListed() {
  page_growth_ = 0;
  page_halvings_ /= 2;
}

}  // namespace xebec::watcher
