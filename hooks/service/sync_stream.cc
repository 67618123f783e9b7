// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/sync_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/rpc/client/context.h"
#include "hooks/service/hook_messages.h"
#include "hooks/service/unary_call.h"

namespace xebec::gateway {
namespace {

constexpr char kMethod[] = "/xebec.hooks.v1.HookService/SyncStream";
constexpr int kUnavailable = 14;
/// A hook that never answers would fill the memory.
constexpr size_t kMostForgotten = 1024;

}  // namespace

SyncStream::SyncStream(const LinkSite& site, const std::shared_ptr<grpc::Channel>& channel,
                       const CallFacts& facts, Events events)
    : site_(site),
      facts_(facts),
      events_(std::move(events)),
      stub_(channel),
      context_(rpc::MakeStreamContext()) {}

std::shared_ptr<SyncStream> SyncStream::Start(const LinkSite& site,
                                              const std::shared_ptr<grpc::Channel>& channel,
                                              const CallFacts& facts, Events events) {
  std::shared_ptr<SyncStream> stream(new SyncStream(site, channel, facts, std::move(events)));
  stream->self_ = stream;
  site.operations->Begin();
  stream->stream_ = stream->stub_.PrepareCall(stream->context_.get(), kMethod, site.loop->queue());
  stream->stream_->StartCall(static_cast<rpc::Completion*>(&stream->start_tag_));
  return stream;
}

void SyncStream::Send(uint64_t call, const std::string& request) {
  open_.insert(call);
  unsent_.push_back(BufferOf(StreamRequestBytes(call, request)));
  WriteNext();
}

void SyncStream::Forget(uint64_t call) {
  if (open_.erase(call) > 0) forgotten_.insert(call);
  if (forgotten_.size() > kMostForgotten) forgotten_.erase(forgotten_.begin());
  EndIfRetired();
}

void SyncStream::Retire() {
  retired_ = true;
  EndIfRetired();
}

void SyncStream::EndIfRetired() {
  if (retired_ && open_.empty()) context_->TryCancel();
}

void SyncStream::Cancel() {
  events_ = {};
  open_.clear();
  context_->TryCancel();
}

void SyncStream::OnStarted(bool ok) {
  writing_ = false;
  if (!ok) return Break();
  Read();
  WriteNext();
}

void SyncStream::Read() { stream_->Read(&read_, static_cast<rpc::Completion*>(&read_tag_)); }

void SyncStream::WriteNext() {
  if (writing_ || broken_ || unsent_.empty()) return;
  writing_ = true;
  stream_->Write(unsent_.front(), static_cast<rpc::Completion*>(&write_tag_));
  unsent_.pop_front();
}

void SyncStream::OnWritten(bool ok) {
  writing_ = false;
  // A failed write is followed by a failed read.
  if (ok && !broken_) return WriteNext();
  if (broken_) Break();
}

void SyncStream::OnRead(bool ok) {
  if (!ok) return Break();
  if (malformed_.empty()) Take();
  Read();
}

void SyncStream::Take() {
  absl::StatusOr<StreamAnswer> answer = SplitStreamAnswer(BytesOf(read_));
  if (!answer.ok()) return EndAsMalformed(std::string(ToStd(answer.status().message())));
  if (open_.erase(answer->call) > 0) {
    if (events_.on_answer) events_.on_answer(answer->call, std::move(answer->response));
  } else if (forgotten_.erase(answer->call) == 0) {
    // A hook could send such answers without end.
    return EndAsMalformed(absl::StrCat("it answers call ", answer->call,
                                       ", which was not sent or is answered already"));
  }
  EndIfRetired();
}

void SyncStream::EndAsMalformed(std::string why) {
  malformed_ = std::move(why);
  context_->TryCancel();
}

/// Asks for the status when no write is under way.
void SyncStream::Break() {
  broken_ = true;
  if (writing_ || finishing_) return;
  finishing_ = true;
  stream_->Finish(&status_, static_cast<rpc::Completion*>(&finish_tag_));
}

void SyncStream::OnFinished(bool) {
  const std::shared_ptr<SyncStream> self = std::move(self_);
  const Events events = std::exchange(events_, {});
  GrpcEnd end = EndOf(status_, *context_);
  if (status_.ok()) end = {kUnavailable, "it ended the stream", {}};
  const HookFailure failure =
      malformed_.empty() ? GrpcFailure(facts_, end) : MalformedFailure(facts_, malformed_);
  if (events.on_end) events.on_end(failure.code == HookFailureCode::kTooLarge);
  for (const uint64_t call : std::exchange(open_, {})) {
    if (events.on_failure) events.on_failure(call, failure);
  }
  site_.operations->End();
}

}  // namespace xebec::gateway
