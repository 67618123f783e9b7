// SPDX-License-Identifier: Apache-2.0
// Peers whose connections are there and who do not speak.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/rpc/status_map.h"
#include "common/rpc/testing/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

/// A socket on loopback, closed at the end.
class RawSocket {
 public:
  RawSocket() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~RawSocket() { close(fd_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  /// Takes connections and says nothing. The port.
  int Listen() {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
  }
  void Connect(int port) {
    const sockaddr_in address = Loopback(port);
    ASSERT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  void Send(const std::string& bytes) {
    ASSERT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Reads what comes until the other side hangs up; false when it does not within `timeout`.
  bool AwaitEnd(absl::Duration timeout) {
    const timeval limit = absl::ToTimeval(timeout);
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    char buffer[1024];
    ssize_t n = 0;
    while ((n = read(fd_, buffer, sizeof(buffer))) > 0) {
    }
    return n == 0 || errno == ECONNRESET;
  }

 private:
  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }

  const int fd_;
};

TEST(DeadPeers, ASlowHandshakeIsWaitedForAsLongAsTheCallMayTake) {
  RawSocket slow;
  const Address address{"ipv4:127.0.0.1:" + std::to_string(slow.Listen()), ""};
  ChannelOptions options;
  options.backoff_min = absl::Milliseconds(1);
  const auto stub = v1::PlannerService::NewStub(MakeChannel(address, options));
  const auto context = MakeCallContext(absl::Seconds(1));
  v1::DescribeKindsResponse response;
  const absl::Status status = FromGrpc(stub->DescribeKinds(context.get(), {}, &response));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
}

TEST(DeadPeers, ACallerWhoDoesNotAnswerPingsIsDropped) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.keepalive = absl::Milliseconds(100);
  options.keepalive_timeout = absl::Milliseconds(100);
  const auto server = Server::Start(options, {&planner});
  ASSERT_TRUE(server.ok()) << server.status();
  RawSocket caller;
  caller.Connect((*server)->port());
  const std::string settings("\0\0\0\4\0\0\0\0\0", 9);  // an empty SETTINGS frame
  caller.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings);
  EXPECT_TRUE(caller.AwaitEnd(kTestTimeout));
}

}  // namespace
}  // namespace xebec::rpc
