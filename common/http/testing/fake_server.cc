// SPDX-License-Identifier: Apache-2.0
#include "common/http/testing/fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace xebec::http::testing {
namespace {

ServedRequest ParseHead(const std::string& head) {
  ServedRequest request;
  const std::vector<std::string> lines = absl::StrSplit(head, "\r\n", absl::SkipEmpty());
  const std::vector<std::string> first = absl::StrSplit(lines.at(0), ' ');
  request.method = first.at(0);
  request.target = first.at(1);
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(lines[i], absl::MaxSplits(": ", 1));
    request.headers[absl::AsciiStrToLower(pair.first)] = pair.second;
  }
  return request;
}

std::optional<ServedRequest> ReadRequest(Wire& wire) {
  std::string text;
  size_t end;
  while ((end = text.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = wire.Read();
    if (more.empty()) return std::nullopt;
    text += more;
  }
  ServedRequest request = ParseHead(text.substr(0, end));
  wire.Unread(text.substr(end + 4));
  size_t length = 0;
  const auto header = request.headers.find("content-length");
  if (header != request.headers.end() && !absl::SimpleAtoi(header->second, &length)) abort();
  auto body = wire.ReadExactly(length);
  if (!body) return std::nullopt;
  request.body = *std::move(body);
  return request;
}

FakeServer::Protocol Http1(FakeServer::Handler handler) {
  return [handler = std::move(handler)](Wire& wire, int connection) {
    while (auto request = ReadRequest(wire)) {
      request->connection = connection;
      if (!handler(*request, wire)) return;
    }
  };
}

int Listen(int* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 128) != 0) abort();
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  *port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

FakeServer::FakeServer(std::optional<TlsSettings> tls, Protocol protocol)
    : https_(tls.has_value()), protocol_(std::move(protocol)) {
  tls_.push_back(MakeTlsContext(tls));
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets
  listener_ = Listen(&port_);
  accepting_ = std::thread([this] { AcceptLoop(); });
}

FakeServer::FakeServer(Handler handler, std::optional<TlsSettings> tls)
    : FakeServer(std::move(tls), Http1(std::move(handler))) {}

FakeServer::~FakeServer() {
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    for (const auto& wire : wires_) wire->Shutdown();
  }
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

std::string FakeServer::url() const {
  return absl::StrCat(https_ ? "https" : "http", "://127.0.0.1:", port_);
}

void FakeServer::SetTls(const TlsSettings& settings) {
  MutexLock lock(&mu_);
  tls_.push_back(MakeTlsContext(settings));
}

int FakeServer::connections() {
  MutexLock lock(&mu_);
  return static_cast<int>(wires_.size());
}

void FakeServer::AcceptLoop() {
  for (int fd; (fd = accept(listener_, nullptr, nullptr)) >= 0;) {
    std::shared_ptr<Wire> wire;
    int number;
    {
      MutexLock lock(&mu_);
      wire = std::make_shared<Wire>(fd, tls_.back().get());
      wires_.push_back(wire);
      number = static_cast<int>(wires_.size());
      if (stopping_) wire->Shutdown();
    }
    threads_.emplace_back([this, wire, number] {
      if (wire->Accept()) protocol_(*wire, number);
      wire->Shutdown();
    });
  }
}

std::string Http(int status, const std::string& body, const std::string& headers) {
  return absl::StrCat("HTTP/1.1 ", status, " Some Reason\r\n", headers,
                      "Content-Length: ", body.size(), "\r\n\r\n", body);
}

std::string ChunkedHead(int status) {
  return absl::StrCat("HTTP/1.1 ", status, " Some Reason\r\nTransfer-Encoding: chunked\r\n\r\n");
}

std::string Chunk(const std::string& data) {
  return absl::StrFormat("%x\r\n%s\r\n", data.size(), data);
}

}  // namespace xebec::http::testing
