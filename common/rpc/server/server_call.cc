// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server_call.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "common/base/clock.h"
#include "common/base/tsan.h"
#include "common/rpc/server/call_desk.h"
#include "common/rpc/status_map.h"

namespace xebec::rpc {

void* ServerCall::TagOf(Op op) {
  static_assert(alignof(ServerCall) >= kOps);
  void* tag = static_cast<char*>(static_cast<void*>(this)) + static_cast<size_t>(op);
  tsan::Release(tag);
  return tag;
}

void ServerCall::OnEvent(void* tag, bool ok) {
  tsan::Acquire(tag);
  const size_t op = reinterpret_cast<uintptr_t>(tag) % kOps;
  static_cast<ServerCall*>(static_cast<void*>(static_cast<char*>(tag) - op))
      ->Run(static_cast<Op>(op), ok);
}

void ServerCall::Run(Op op, bool ok) {
  std::shared_ptr<ServerCall> self;
  {
    MutexLock lock(&mu_);
    self = self_;
  }
  switch (op) {
    case Op::kArrive:
      return OnArrive(ok);
    case Op::kRead:
      return OnRead(ok);
    case Op::kWrite:
      return OnWrite(ok);
    case Op::kDone:
      return OnDone();
  }
}

void ServerCall::Started() {
  if (running_++ == 0) self_ = shared_from_this();
}

void ServerCall::Ended(int count) {
  running_ -= count;
  if (running_ == 0) self_.reset();
}

void ServerCall::Await() {
  MutexLock lock(&mu_);
  Started();
  Started();  // kDone, which gRPC starts when the call arrives
  context_.AsyncNotifyWhenDone(TagOf(Op::kDone));
  desk_->generic()->RequestCall(&context_, &stream_, desk_->queue(), desk_->queue(),
                                TagOf(Op::kArrive));
}

void ServerCall::OnArrive(bool ok) {
  desk_->Arrive(ok);
  const ServedMethod* method = nullptr;
  {
    MutexLock lock(&mu_);
    Ended(ok ? 1 : 2);
    if (!ok) return;
    arrived_ = ReadClock().monotonic;
    method = method_ = desk_->Find(context_.method());
  }
  if (method == nullptr) {
    Finish({grpc::StatusCode::UNIMPLEMENTED, "the server does not have this method"});
  } else {
    Begin(*method);
  }
  Conclude(&ServerCall::opened_);
}

void ServerCall::Begin(const ServedMethod& method) {
  desk_->Observe(method.started);
  const grpc::Status admitted = desk_->Admit(shared_from_this(), method);
  if (!admitted.ok()) return Finish(admitted);
  Open(method);
}

void ServerCall::Open(const ServedMethod& method) {
  if (!method.unary) SendHeaders();
  const std::shared_ptr<StreamHandler> handler = method.open(shared_from_this());
  {
    MutexLock lock(&mu_);
    handler_ = handler;
  }
  handler->OnOpen();
}

/// A caller takes them for the sign that its stream is served.
void ServerCall::SendHeaders() {
  MutexLock lock(&mu_);
  if (over_ || ended_) return;  // it has given way to another call
  outgoing_.Hold();
  Started();
  stream_.SendInitialMetadata(TagOf(Op::kWrite));
}

void ServerCall::Read() {
  MutexLock lock(&mu_);
  if (over_ || ended_) return;
  Started();
  stream_.Read(&incoming_, TagOf(Op::kRead));
}

void ServerCall::OnRead(bool ok) {
  grpc::ByteBuffer message;
  const ServedMethod* method = nullptr;
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(&mu_);
    Ended(1);
    if (ok) message.Swap(&incoming_);
    method = method_;
    handler = handler_;
  }
  if (handler == nullptr) return;
  if (ok) desk_->Observe(method->received);
  if (ok && method->unary && !method->side) {
    const grpc::Status served = desk_->Serve(shared_from_this());
    if (!served.ok()) return Finish(served);
  }
  handler->OnRead(ok ? &message : nullptr);
}

void ServerCall::Write(grpc::ByteBuffer message) {
  MutexLock lock(&mu_);
  Add(&message);
  WriteNext();
}

void ServerCall::Finish(const grpc::Status& status) {
  MutexLock lock(&mu_);
  End(status);
  WriteNext();
}

void ServerCall::WriteAndFinish(grpc::ByteBuffer message, const grpc::Status& status) {
  MutexLock lock(&mu_);
  Add(&message);
  End(status);
  WriteNext();
}

/// A ByteBuffer copies where it seems to move.
void ServerCall::Add(grpc::ByteBuffer* message) {
  auto bytes = std::make_unique<grpc::ByteBuffer>();
  bytes->Swap(message);
  outgoing_.Add(std::move(bytes));
}

void ServerCall::End(const grpc::Status& status) {
  if (!ended_) status_ = status;
  ended_ = true;
  outgoing_.End();
}

void ServerCall::WriteNext() {
  if (over_) return;
  std::optional<Outgoing::Step> step = outgoing_.Next();
  if (!step) return;
  Started();
  writing_message_ = step->message.has_value();
  grpc::WriteOptions options;
  if (step->more) options.set_buffer_hint();
  if (!step->message) {
    stream_.Finish(status_, TagOf(Op::kWrite));
  } else if (step->last) {
    stream_.WriteAndFinish(**step->message, options, status_, TagOf(Op::kWrite));
  } else {
    stream_.Write(**step->message, options, TagOf(Op::kWrite));
  }
}

void ServerCall::OnWrite(bool ok) {
  bool sent = false;
  const ServedMethod* method = nullptr;
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(&mu_);
    Ended(1);
    sent = std::exchange(writing_message_, false) && ok;
    outgoing_.Complete();
    if (!ok) outgoing_.Break();
    WriteNext();
    method = method_;
    handler = handler_;
  }
  if (!sent) return;
  desk_->Observe(method->sent);
  if (handler != nullptr) handler->OnWritten();
}

void ServerCall::OnDone() {
  {
    MutexLock lock(&mu_);
    Ended(1);
    over_ = true;
    outgoing_.Break();
  }
  Conclude(&ServerCall::done_);
}

void ServerCall::Conclude(bool ServerCall::*flag) {
  std::shared_ptr<StreamHandler> handler;
  const ServedMethod* method = nullptr;
  {
    MutexLock lock(&mu_);
    this->*flag = true;
    if (!opened_ || !done_) return;
    handler = std::exchange(handler_, nullptr);
    method = method_;
  }
  if (handler != nullptr) handler->OnDone();
  handler.reset();
  if (method != nullptr) ObserveEnd(*method);
  desk_->Leave(shared_from_this());
}

void ServerCall::ObserveEnd(const ServedMethod& method) {
  CallEvent event = method.handled;
  {
    MutexLock lock(&mu_);
    event.code = CodeName(ended_ ? status_ : grpc::Status::CANCELLED);
    event.took = ReadClock().monotonic - arrived_;
  }
  desk_->Observe(event);
}

size_t ServerCall::max_message_bytes() const { return desk_->max_message_bytes(); }

}  // namespace xebec::rpc
