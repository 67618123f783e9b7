// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"

namespace xebec::rpc {

/// The server's side of one call. Every call is a stream of messages here; a unary call has one in
/// each direction. Thread-safe. No function blocks or calls a StreamHandler.
class ServerStream {
 public:
  virtual ~ServerStream() = default;

  /// Requests the next message, which arrives as OnRead. Only one request may be open. A service
  /// that does not read slows down its caller.
  virtual void Read() = 0;

  /// Sends a message after those before it; OnWritten follows. The service bounds the messages that
  /// wait. A message of more than max_message_bytes() breaks the call.
  virtual void Write(grpc::ByteBuffer message) = 0;

  /// Ends the call with `status` after all messages that were written. Later calls have no effect.
  virtual void Finish(const grpc::Status& status) = 0;

  /// Write and Finish in one step, which costs less than both.
  virtual void WriteAndFinish(grpc::ByteBuffer message, const grpc::Status& status) = 0;

  /// Returns true once nothing that is written can reach the caller any more. Costs nothing.
  virtual bool over() const = 0;

  /// The limit of one message in each direction. Must not be called once the server is gone.
  virtual size_t max_message_bytes() const = 0;
};

/// The reactions of a service to the events of one call. The events run on the threads of the
/// server. OnOpen is the first event and OnDone is the last one to start. The events between them
/// may run at the same time, each on its thread. No event arrives after OnDone has started, but an
/// earlier one may still be running.
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;

  /// The call has arrived.
  virtual void OnOpen() = 0;
  /// The message that Read requested, or null if the caller sends no more. If OnRead calls Read
  /// first, another thread takes the next message at the same time; if it does so last, messages
  /// are handled one by one, in their order.
  virtual void OnRead(grpc::ByteBuffer* message) = 0;
  /// One message was sent, and the call goes on.
  virtual void OnWritten() {}
  /// The call has ended: the caller has the status, cancelled or is gone.
  virtual void OnDone() {}
};

}  // namespace xebec::rpc
