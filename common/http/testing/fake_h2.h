// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "common/http/testing/fake_server.h"

namespace xebec::http::testing {

/// A minimal HTTP/2 server whose connections work, freeze or close. It does not decode request
/// headers and answers every request with 200 and the number of its connection as the body.
class FakeH2 {
 public:
  enum class Act {
    kAnswer,
    kFreeze,  ///< Sends nothing on this connection from now on, not even answers to pings.
    kGoAway,  ///< Answers, then sends GOAWAY and closes.
    kIgnore,  ///< Never answers this request.
    kReset,   ///< Resets the connection instead of answering.
    kOpen,    ///< Starts the response and never finishes it.
    kTalk,    ///< Sends pieces of the response for kTalkTime, then finishes it.
  };
  static constexpr absl::Duration kTalkTime = absl::Milliseconds(1500);
  /// Returns what to do with a request: the `number`th (from 1) on `connection`. May run on any
  /// thread.
  using Script = std::function<Act(int connection, int number)>;

  FakeH2(TlsSettings tls, Script script);

  FakeServer& server() { return server_; }

 private:
  const Script script_;
  FakeServer server_;
};

}  // namespace xebec::http::testing
