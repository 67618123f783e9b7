// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/rpc/server/server_stream.h"

namespace xebec::rpc::testing {

/// The stream of a client that reads nothing. Counts what its handler does.
class StalledStream : public ServerStream {
 public:
  void Read() override { ++reads; }
  void Write(grpc::ByteBuffer) override { ++writes; }
  void Finish(const grpc::Status&) override { finished = true; }
  void WriteAndFinish(grpc::ByteBuffer, const grpc::Status&) override { finished = true; }
  bool over() const override { return false; }
  size_t max_message_bytes() const override { return 1 << 20; }

  int reads = 0, writes = 0;
  bool finished = false;
};

}  // namespace xebec::rpc::testing
