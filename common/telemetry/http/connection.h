// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "common/telemetry/http/request.h"

namespace xebec::telemetry {

/// The timeouts of the parts of a connection.
struct HttpTimeouts {
  absl::Duration head = absl::Seconds(5);     ///< From the connection to the end of the headers.
  absl::Duration answer = absl::Seconds(10);  ///< From there until the response is sent.
  absl::Duration linger = absl::Seconds(1);   ///< For the client to close, after the response.
};

/// One accepted connection, which carries one request and its response. Never blocks. For the
/// thread of the server only.
class Connection {
 public:
  enum class State {
    kReading,    ///< The head of the request is incomplete.
    kRequested,  ///< The request is complete, or it is refused: respond.
    kAnswering,  ///< A handler makes the response.
    kWriting,    ///< The response is being sent.
    kLingering,  ///< The response is sent; the client has not closed yet.
    kClosed,     ///< Nothing is left to do.
  };

  /// Owns the non-blocking socket `fd`. `now` is monotonic, here and below.
  Connection(int fd, const HttpTimeouts& timeouts, absl::Duration now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Reads or writes whatever the socket allows. Call it when poll reports events().
  void Advance(absl::Duration now);
  /// A handler makes the response; it comes with Respond.
  void AwaitAnswer() { state_ = State::kAnswering; }
  /// Sends `bytes`. Ignored after the deadline.
  void Respond(std::string bytes, absl::Duration now);

  State state() const { return state_; }
  int fd() const { return fd_; }
  /// The events of poll(2) to wait for; 0 for none.
  short events() const;
  /// The connection must be closed then.
  absl::Duration deadline() const { return deadline_; }
  /// The outcome of the reading, from kRequested on.
  const RequestReader& reader() const { return reader_; }

 private:
  void Read(absl::Duration now);
  void Write(absl::Duration now);
  void Discard();

  const int fd_;
  const HttpTimeouts timeouts_;
  State state_ = State::kReading;
  absl::Duration deadline_;
  RequestReader reader_;
  std::string unsent_;
  size_t sent_ = 0;
};

}  // namespace xebec::telemetry
