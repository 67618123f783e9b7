// SPDX-License-Identifier: Apache-2.0
#include "planner/service/plan_stream.h"

#include <memory>
#include <string>
#include <utility>

#include "common/base/strings.h"
#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"

namespace xebec::planner {
namespace {

/// If a caller does not read its plans, its stream is not read either. It never blocks a worker.
constexpr size_t kMostOutstanding = 128;
constexpr size_t kUnwritten = 2 * kMostOutstanding;

std::string Text(const absl::Status& status) { return ToValidUtf8(ToStd(status.message())); }

}  // namespace

PlanStream::PlanStream(const PlanMaker* maker, WorkerPool* pool, grpc::ServerContext* context,
                       Link* link, size_t max_message_bytes)
    : maker_(maker),
      pool_(pool),
      context_(context),
      link_(link),
      max_message_bytes_(max_message_bytes),
      writer_([this](const v1::PlanStreamResponse& response) { return Write(response); },
              kUnwritten, "plan-writer") {}

grpc::Status PlanStream::Run() {
  link_->SendInitialMetadata();
  for (v1::PlanStreamRequest request; !draining() && link_->Read(&request); request.Clear()) {
    Take(std::move(request));
  }
  AwaitWorkers();
  writer_.Finish();
  if (!draining()) return grpc::Status::OK;
  return rpc::ToGrpc(absl::UnavailableError("the planner is stopping"));
}

void PlanStream::Take(v1::PlanStreamRequest request) {
  if (!request.has_observation()) {
    writer_.Push({});
    return;
  }
  AwaitRoom();
  auto shared = std::make_shared<v1::PlanStreamRequest>(std::move(request));
  pool_->Post([this, shared] { Answer(*shared); });
}

void PlanStream::AwaitRoom() {
  MutexLock lock(&mu_);
  while (outstanding_ >= kMostOutstanding && !broken_) idle_.Wait(&mu_);
  ++working_;
  ++outstanding_;
}

void PlanStream::Answer(const v1::PlanStreamRequest& request) {
  v1::PlanStreamResponse response;
  if (!context_->IsCancelled()) {
    const absl::Status made = maker_->Make(request.observation(), response.mutable_plan());
    std::string error =
        made.ok() ? rpc::TooLarge("the plan", response, max_message_bytes_) : Text(made);
    if (!error.empty()) {
      response.clear_plan();
      response.set_error(std::move(error));
    }
  }
  response.set_sequence(request.observation().envelope().sequence());
  if (!writer_.Push(std::move(response))) Converge();
  MutexLock lock(&mu_);
  --working_;
  idle_.NotifyAll();
}

bool PlanStream::Write(const v1::PlanStreamResponse& response) {
  const bool written = link_->Write(response);
  if (response.has_plan() || !response.error().empty()) Converge();
  if (written) return true;
  MutexLock lock(&mu_);
  broken_ = true;
  idle_.NotifyAll();
  return false;
}

void PlanStream::Converge() {
  MutexLock lock(&mu_);
  --outstanding_;
  idle_.NotifyAll();
  if (draining_ && outstanding_ == 0) context_->TryCancel();
}

void PlanStream::Drain() {
  MutexLock lock(&mu_);
  draining_ = true;
  if (outstanding_ == 0) context_->TryCancel();
}

bool PlanStream::draining() const {
  MutexLock lock(&mu_);
  return draining_;
}

void PlanStream::AwaitWorkers() {
  MutexLock lock(&mu_);
  while (working_ > 0) idle_.Wait(&mu_);
}

}  // namespace xebec::planner
