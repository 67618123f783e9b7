// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "common/http/testing/fake_server.h"

namespace xebec::http::testing {

/// As much of an HTTP/2 server as it takes to play a connection that works, freezes or goes away.
/// Request headers are not decoded; every request is answered with 200 and the number of its
/// connection as body.
class FakeH2 {
 public:
  enum class Act {
    kAnswer,
    kFreeze,  ///< Answers nothing any more on this connection, pings included.
    kGoAway,  ///< Answers, then says GOAWAY and closes.
    kIgnore,  ///< Never answers this request.
    kOpen,    ///< Begins the answer and never continues it.
    kTalk,    ///< Sends pieces of the answer for kTalkTime, then ends it.
  };
  static constexpr absl::Duration kTalkTime = absl::Milliseconds(1500);
  /// Says what to do with the request that has just been read on `connection`, the `number`th there
  /// (from 1). Any thread.
  using Script = std::function<Act(int connection, int number)>;

  FakeH2(TlsSettings tls, Script script);

  FakeServer& server() { return server_; }

 private:
  const Script script_;
  FakeServer server_;
};

}  // namespace xebec::http::testing
