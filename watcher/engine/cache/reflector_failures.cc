// SPDX-License-Identifier: Apache-2.0
// Reflector: what goes wrong, how long it waits then, and how it tells.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/cache/reflector.h"

namespace xebec::watcher {
namespace {

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kUnprocessable = 422;
constexpr int kTooManyRequests = 429;
constexpr int kNotImplemented = 501;
constexpr uint32_t kMostHalvings = 16;  // a page has one object at least
constexpr uint32_t kMostGrowth = 3;     // each is a factor of four: 500 → 32,000
constexpr absl::Duration kHealthyWatch = absl::Seconds(10);
constexpr absl::Duration kQuietAgain = absl::Minutes(2);
constexpr absl::Duration kExpiryStorm = absl::Seconds(30);

bool Expired(const ApiFailure& failure) {
  return failure.http_status == kGone || failure.reason == "Expired" || failure.reason == "Gone";
}

}  // namespace

// The server does not take the options of a streaming list; 400 and 422 are what it answers then.
bool Reflector::RefusedStreaming(const ApiFailure& failure) const {
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing == nullptr || !listing->streaming) return false;
  const int status = failure.http_status;
  const bool client_error = status >= kBadRequest && status <= kUnprocessable &&
                            status != kForbidden && status != kNotFound && status != kGone &&
                            status != 401;
  return client_error || status == kNotImplemented;
}

void Reflector::OnFailure(const ApiFailure& failure, bool of_watch, ReflectorContext& context) {
  ++errors_[absl::StrCat(failure.http_status)];
  const bool follows = Follows();
  if (of_watch && !follows) return watch_.reset();  // a list is under way or to come
  if (Expired(failure)) return OnExpired(context);
  if (RefusedStreaming(failure)) {
    streaming_refused_ = true;
    Tell(Note::Level::kInfo, "Streaming list refused",
         absl::StrCat(Describe(failure), "; listing by pages"), context);
    return StartListing(context);
  }
  // Whatever answers so for the core group (a proxy, say) does not know: it is always served.
  if (failure.http_status == kNotFound && !spec_.type.group.empty()) {
    if (of_watch) watch_.reset();
    return Disappear(context);
  }
  failure_text_ = Describe(failure);
  Tell(Note::Level::kWarning, of_watch ? "Watch failed" : "List failed", failure_text_, context);
  if (!of_watch) JudgeListFailure(failure);
  CountFailure(context.now);
  if (of_watch) watch_.reset();
  if (failure.http_status == kForbidden) {
    EndWatch(context);
    forbidden_ = true;
    FinishWidening();
    complete_ = false;
    relist_reason_ = "forbidden";
    // Growing as after any failure: an API server that has just started knows no roles for a
    // moment.
    return Wait(Resume::kList, absl::ZeroDuration(), context);
  }
  const bool unusable = failure.http_status == kBadRequest || failure.http_status == kUnprocessable;
  if (of_watch && unusable) relist_reason_ = "refused";
  Wait(of_watch && !unusable ? Resume::kWatch : Resume::kList,
       std::min(failure.retry_after.value_or(absl::ZeroDuration()), kMaxRetryAfter), context);
}

// A streaming list that is cut again and again is replaced by pages, a page that breaks off by a
// smaller one.
void Reflector::JudgeListFailure(const ApiFailure& failure) {
  const auto& listing = std::get<Listing>(state_);
  const bool refused = failure.http_status == kTooManyRequests || failure.http_status == kForbidden;
  if (listing.streaming && !refused) ++cut_lists_;
  if (listing.streaming || failure.http_status != 0) return;
  page_halvings_ = std::min(page_halvings_ + 1, kMostHalvings);
}

// A list by pages that expires before its last page is too long for its pages: with larger ones it
// is done sooner.
void Reflector::OnExpired(ReflectorContext& context) {
  const auto* listing = std::get_if<Listing>(&state_);
  if (listing == nullptr) watch_.reset();
  if (listing != nullptr && listing->pages > 0) {
    page_growth_ = std::min(page_growth_ + 1, kMostGrowth);
  }
  const bool storm = context.now - last_expiry_ < kExpiryStorm;
  last_expiry_ = context.now;
  relist_reason_ = "expired";
  Tell(Note::Level::kInfo, "Cursor expired", absl::StrCat("resourceVersion ", cursor_), context);
  if (!storm) return StartListing(context);
  CountFailure(context.now);
  Wait(Resume::kList, absl::ZeroDuration(), context);
}

void Reflector::CountFailure(absl::Duration now) {
  const bool was_healthy =
      watch_ && Follows() && watch_->heard && now - watch_->began >= kHealthyWatch;
  if (was_healthy || now - last_failure_ > kQuietAgain) failures_ = 0;
  ++failures_;
  last_failure_ = now;
}

void Reflector::Wait(Resume then, absl::Duration at_least, ReflectorContext& context) {
  const uint32_t nth = failures_ == 0 ? 0 : failures_ - 1;
  const absl::Duration delay =
      BackoffDelay(policy_.backoff, nth, Seed(spec_.type.plural, policy_.seed));
  state_ = Waiting{context.now + std::max(delay, at_least), then};
}

void Reflector::Tell(Note::Level level, std::string what, const std::string& detail,
                     ReflectorContext& context) const {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = absl::StrCat(Describe(spec_), detail.empty() ? "" : ": ", detail);
  context.out->push_back(std::move(note));
}

std::string Reflector::Explain() const {
  const std::string name = Describe(spec_);
  if (std::holds_alternative<Absent>(state_) || missing_told_) return name + " is not served";
  if (forbidden_) return name + " may not be listed or watched (403)";
  if (Follows() && complete_) return name + " is watched";
  const std::string failure = failure_text_.empty() ? "" : ", after a failure: " + failure_text_;
  if (std::holds_alternative<Listing>(state_) || merging_)
    return name + " is being listed" + failure;
  if (std::holds_alternative<Waiting>(state_)) return name + " is tried again" + failure;
  return name + " is being discovered" + failure;
}

ResourceFigures Reflector::Figures(absl::Duration now) const {
  static constexpr const char* kNames[] = {"idle",    "discovering", "absent",
                                           "backoff", "listing",     "watching"};
  ResourceFigures figures;
  figures.type = spec_.type;
  figures.ns = spec_.ns;
  figures.state = kNames[state_.index()];
  figures.synced = availability() == Availability::kReady;
  figures.objects = store_.objects().size();
  figures.since_last_event = now - last_heard_;
  figures.events = events_;
  figures.relists = relists_;
  figures.errors = errors_;
  return figures;
}

}  // namespace xebec::watcher
