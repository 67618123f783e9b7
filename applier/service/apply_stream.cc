// SPDX-License-Identifier: Apache-2.0
#include "applier/service/apply_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/codec/codec.h"
#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"

namespace xebec::applier {
namespace {

/// More than a stream can have outstanding at once, so that the loop never waits for a watcher that
/// does not read.
constexpr size_t kUnwritten = 4096;
/// A plan may arrive before the report that granted its credit was written.
constexpr uint64_t kOvertaking = 16;
constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
/// A stream that is drained ends this long after its last answer, so that the answer is on its way;
/// where the watcher has credits left, this long after its last plan.
constexpr absl::Duration kFlush = absl::Milliseconds(20);
constexpr absl::Duration kQuiet = absl::Milliseconds(250);

}  // namespace

ApplyStream::ApplyStream(DispatchLoop* loop, grpc::ServerContext* context, Link* link,
                         size_t max_message_bytes)
    : loop_(loop),
      context_(context),
      link_(link),
      max_message_bytes_(max_message_bytes),
      writer_([this](const Outgoing& outgoing) { return Write(outgoing); }, kUnwritten,
              "apply-writer") {}

grpc::Status ApplyStream::Run() {
  link_->SendInitialMetadata();
  key_ = loop_->Open({.on_report =
                          [this](uint64_t sequence, Report report) {
                            Answer({.what = Outgoing::What::kReport,
                                    .sequence = sequence,
                                    .report = std::move(report)});
                          },
                      .on_credits = [this](uint32_t count) { OnCredits(count); }});
  v1::ApplyStreamRequest request;
  bool obeys = true;
  while (obeys && link_->Read(&request)) obeys = Take(request);
  if (obeys) AwaitReports();
  loop_->Close(key_);
  writer_.Finish();
  if (!obeys) {
    return rpc::ToGrpc(absl::ResourceExhaustedError("more plans were sent than credits granted"));
  }
  if (!draining()) return grpc::Status::OK;
  return rpc::ToGrpc(absl::UnavailableError("the applier is stopping"));
}

bool ApplyStream::Take(const v1::ApplyStreamRequest& request) {
  if (!request.has_plan()) {
    if (!heartbeat_queued_.exchange(true)) writer_.Push({});
    return true;
  }
  if (!MayTake()) return false;
  const uint64_t sequence = request.plan().envelope().sequence();
  absl::StatusOr<Plan> plan = codec::DecodePlan(request.plan());
  if (plan.ok()) {
    loop_->Submit(key_, sequence, *std::move(plan));
  } else {
    Answer({.what = Outgoing::What::kError,
            .sequence = sequence,
            .error = ToValidUtf8(ToStd(plan.status().message()))});
  }
  return true;
}

bool ApplyStream::MayTake() {
  MutexLock lock(&mu_);
  if (outstanding_ >= granted_ + kOvertaking) return false;
  ++outstanding_;
  last_busy_ = ReadClock().monotonic;
  return true;
}

void ApplyStream::OnCredits(uint32_t count) {
  {
    MutexLock lock(&mu_);
    if (draining_) return;
    granted_ += count;
  }
  writer_.Push({.what = Outgoing::What::kCredits, .credits = count});
}

void ApplyStream::Answer(Outgoing outgoing) {
  outgoing.credits = draining() ? 0 : 1;
  const uint32_t credits = outgoing.credits;
  if (!writer_.Push(std::move(outgoing))) Complete(credits);
}

v1::ApplyStreamResponse ApplyStream::Encode(const Outgoing& outgoing) const {
  v1::ApplyStreamResponse response;
  response.set_sequence(outgoing.sequence);
  response.set_credits(outgoing.credits);
  if (outgoing.what == Outgoing::What::kCredits) {
    codec::EncodeCapabilities({}, response.mutable_capabilities());
  }
  if (outgoing.what == Outgoing::What::kError) response.set_error(outgoing.error);
  if (outgoing.what != Outgoing::What::kReport) return response;
  codec::EncodeReport(outgoing.report, response.mutable_report());
  const std::string too_large = rpc::TooLarge("the report", response, max_message_bytes_);
  if (too_large.empty()) return response;
  // The outcomes are kept; their messages are in the log.
  for (v1::Outcome& outcome : *response.mutable_report()->mutable_outcomes()) {
    outcome.clear_message();
  }
  return response;
}

bool ApplyStream::Write(const Outgoing& outgoing) {
  if (outgoing.what == Outgoing::What::kHeartbeat) heartbeat_queued_ = false;
  const bool written = link_->Write(Encode(outgoing));
  const bool answer =
      outgoing.what == Outgoing::What::kReport || outgoing.what == Outgoing::What::kError;
  if (answer) Complete(outgoing.credits);
  if (written) return true;
  MutexLock lock(&mu_);
  broken_ = true;
  completed_.NotifyAll();
  return false;
}

void ApplyStream::Complete(uint32_t credits) {
  MutexLock lock(&mu_);
  --outstanding_;
  if (credits == 0 && granted_ > 0) --granted_;
  last_busy_ = ReadClock().monotonic;
  completed_.NotifyAll();
}

void ApplyStream::BeginDrain() {
  MutexLock lock(&mu_);
  draining_ = true;
  last_busy_ = ReadClock().monotonic;
}

void ApplyStream::EndIfQuiet() {
  MutexLock lock(&mu_);
  const absl::Duration quiet = ReadClock().monotonic - last_busy_;
  if (draining_ && outstanding_ == 0 && quiet >= (granted_ == 0 ? kFlush : kQuiet))
    context_->TryCancel();
}

bool ApplyStream::draining() const {
  MutexLock lock(&mu_);
  return draining_;
}

void ApplyStream::AwaitReports() {
  MutexLock lock(&mu_);
  while (outstanding_ > 0 && !broken_ && !context_->IsCancelled())
    completed_.WaitFor(&mu_, kPollInterval);
}

}  // namespace xebec::applier
