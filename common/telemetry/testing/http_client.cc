// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/testing/http_client.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xebec::telemetry {
namespace {

constexpr timeval kLongest = {60, 0};

}  // namespace

RawClient::RawClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kLongest, sizeof(kLongest));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(std::exchange(fd_, -1));
  }
}

RawClient::RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RawClient::~RawClient() {
  if (fd_ >= 0) close(fd_);
}

bool RawClient::Send(std::string_view bytes) const {
  return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::string RawClient::ReadAll() const {
  std::string all;
  char buffer[4096];
  for (ssize_t got; (got = recv(fd_, buffer, sizeof(buffer), 0)) > 0;) {
    all.append(buffer, static_cast<size_t>(got));
  }
  return all;
}

Fetched Fetch(int port, const std::string& target, const std::string& method) {
  const RawClient client(port);
  client.Send(absl::StrCat(method, " ", target, " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const std::string answer = client.ReadAll();
  Fetched fetched;
  const size_t end = answer.find("\r\n\r\n");
  if (end == std::string::npos) return fetched;
  fetched.head = answer.substr(0, end);
  fetched.body = answer.substr(end + 4);
  if (!absl::SimpleAtoi(answer.substr(9, 3), &fetched.status)) fetched.status = 0;
  return fetched;
}

}  // namespace xebec::telemetry
