// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "absl/synchronization/notification.h"
#include "common/base/strings.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/client/unary_call.h"
#include "common/rpc/server/unary_method.h"
#include "common/rpc/status_map.h"
#include "common/rpc/telemetry/metrics_observer.h"
#include "common/rpc/testing/fake_services.h"
#include "gmock/gmock.h"
#include "grpc/grpc.h"
#include "grpc/health/v1/health.pb.h"
#include "grpcpp/impl/codegen/proto_utils.h"
#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kReflect[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

std::string Message(const absl::Status& status) { return std::string(ToStd(status.message())); }

std::unique_ptr<Server> MustStart(const ServerOptions& options, Service* service) {
  auto server = Server::Start(options, {service});
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? *std::move(server) : nullptr;
}

absl::StatusOr<std::string> Call(const std::shared_ptr<grpc::Channel>& channel,
                                 const std::string& method, const std::string& bytes = "") {
  return CallUnary(channel, method, bytes, kTestTimeout);
}

absl::Status Describe(const Address& address, const ChannelOptions& options = {}) {
  const auto stub = v1::PlannerService::NewStub(MakeChannel(address, options));
  const auto context = MakeCallContext(kTestTimeout);
  v1::DescribeKindsResponse response;
  return FromGrpc(stub->DescribeKinds(context.get(), {}, &response));
}

/// Sends bytes to a unix socket and hangs up when the other side does, or has read them.
void SendRaw(const std::string& path, const std::string& bytes) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) break;
    sent += static_cast<size_t>(n);
  }
  shutdown(fd, SHUT_WR);
  char answer[1024];
  while (read(fd, answer, sizeof(answer)) > 0) {
  }
  close(fd);
}

TEST(Server, ServesOnLoopbackWithAPortOfItsChoice) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"127.0.0.1:0", "unix:" + SocketPath("s")};
  const auto server = MustStart(options, &planner);
  ASSERT_NE(server, nullptr);
  EXPECT_GT(server->port(), 0);
  EXPECT_EQ(server->addresses()[0], "127.0.0.1:" + std::to_string(server->port()));
  EXPECT_TRUE(Describe({"ipv4:" + server->addresses()[0], ""}).ok());
  EXPECT_TRUE(Describe({server->addresses()[1], ""}).ok());
}

TEST(Server, WithoutTlsOtherAddressesThanLoopbackAreRefused) {
  FakePlanner planner("r1");
  for (const char* listen : {"0.0.0.0:7443", "[::]:7443", "10.1.2.3:7443", "planner.test:7443"}) {
    ServerOptions options;
    options.listen = {"127.0.0.1:0", listen};
    const auto server = Server::Start(options, {&planner});
    EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument) << listen;
    EXPECT_THAT(Message(server.status()),
                AllOf(HasSubstr(listen), HasSubstr("without TLS"), HasSubstr("127.0.0.1:7443")));
  }
}

TEST(Server, AnAddressThatCannotBeReadIsNamed) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"127.0.0.1"};
  EXPECT_THAT(Message(Server::Start(options, {&planner}).status()), HasSubstr("\"127.0.0.1\""));
  options.listen = {"127.0.0.1:1,127.0.0.1:2"};
  EXPECT_THAT(Message(Server::Start(options, {&planner}).status()), HasSubstr("not a list"));
}

TEST(Server, APortInUseIsNamed) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  const auto first = MustStart(options, &planner);
  options.listen = {"127.0.0.1:0", first->addresses()[0]};
  FakePlanner other("r2");
  const auto second = Server::Start(options, {&other});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(second.status()),
              AllOf(HasSubstr(first->addresses()[0]), HasSubstr("in use")));
}

TEST(Server, HealthFollowsSetServing) {
  FakePlanner planner("r1");
  const auto server = MustStart({}, &planner);
  const auto channel = server->InProcessChannel();
  EXPECT_EQ(Call(channel, kHealthCheck).value_or("?"), "\x08\x02") << "NOT_SERVING";
  server->SetServing(true);
  EXPECT_EQ(Call(channel, kHealthCheck).value_or("?"), "\x08\x01") << "SERVING";
  server->SetServing(false);
  EXPECT_EQ(Call(channel, kHealthCheck).value_or("?"), "\x08\x02");
}

TEST(Server, WhoWatchesTheHealthIsToldOfChanges) {
  using grpc::health::v1::HealthCheckRequest;
  using grpc::health::v1::HealthCheckResponse;
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  const auto server = MustStart(options, &planner);
  const auto channel = MakeChannel({server->addresses()[0], ""}, {});
  const auto context = MakeStreamContext();
  HealthCheckRequest request;
  request.set_service("xebec.v1.PlannerService");
  const std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> watch(
      grpc::internal::ClientReaderFactory<HealthCheckResponse>::Create(
          channel.get(),
          grpc::internal::RpcMethod("/grpc.health.v1.Health/Watch",
                                    grpc::internal::RpcMethod::SERVER_STREAMING, channel),
          context.get(), request));
  HealthCheckResponse health;
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), HealthCheckResponse::NOT_SERVING);
  server->SetServing(true);
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), HealthCheckResponse::SERVING);
  server->SetServing(false);
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), HealthCheckResponse::NOT_SERVING);
  server->Stop(absl::Milliseconds(1));
  EXPECT_FALSE(watch->Read(&health));
}

TEST(Server, ReflectionIsAnsweredOnlyWhereItIsAskedFor) {
  FakePlanner planner("r1");
  ServerOptions options;
  const auto without = MustStart(options, &planner);
  EXPECT_EQ(Call(without->InProcessChannel(), kReflect).status().code(),
            absl::StatusCode::kUnimplemented);
  options.reflection = true;
  FakePlanner other("r1");
  const auto with = MustStart(options, &other);
  EXPECT_NE(Call(with->InProcessChannel(), kReflect).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(Server, MessagesAboveTheLimitAreRefused) {
  FakePlanner planner(std::string(20'000, 'r'));
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.max_message_bytes = 10'000;
  const auto server = MustStart(options, &planner);
  EXPECT_EQ(Describe({server->addresses()[0], ""}).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Server, RequestThatCannotBeDecodedIsRefusedInWords) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  const auto server = MustStart(options, &planner);
  const auto channel = MakeChannel({server->addresses()[0], ""}, {});
  for (const std::string garbage : {"\xff\xff\xff", "\x0a\x7f", "{}"}) {
    const auto answer = Call(channel, "/xebec.v1.PlannerService/Plan", garbage);
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
    EXPECT_THAT(Message(answer.status()), HasSubstr("the request cannot be decoded")) << garbage;
  }
}

TEST(Server, GarbageOnThePortHarmsNobody) {
  FakePlanner planner("r1");
  ServerOptions options;
  const std::string path = SocketPath("s");
  options.listen = {"unix:" + path};
  const auto server = MustStart(options, &planner);
  for (const std::string& garbage :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string(1000, '\0')}) {
    SendRaw(path, garbage);
    EXPECT_TRUE(Describe({"unix:" + path, ""}).ok());
  }
}

TEST(Server, CallsBeyondTheLimitAreRefused) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.max_calls = 6;
  const auto server = MustStart(options, &planner);
  const auto stub = v1::PlannerService::NewStub(MakeChannel({server->addresses()[0], ""}, {}));
  using Stream = grpc::ClientReaderWriter<v1::PlanStreamRequest, v1::PlanStreamResponse>;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  v1::PlanStreamResponse response;
  bool served = true;
  while (served && streams.size() < 20) {
    contexts.push_back(MakeStreamContext());
    streams.push_back(stub->PlanStream(contexts.back().get()));
    streams.back()->Write({});
    served = streams.back()->Read(&response);
  }
  EXPECT_LE(streams.size(), 7u);
  EXPECT_EQ(FromGrpc(streams.back()->Finish()).code(), absl::StatusCode::kResourceExhausted);
  for (const auto& context : contexts) context->TryCancel();
}

TEST(Server, ThreadsMayLookForEventsAtAnInterval) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.threads = 2;
  options.poll_interval = absl::Milliseconds(1);
  const auto server = MustStart(options, &planner);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Describe({server->addresses()[0], ""}).ok());
  server->Stop(kTestTimeout);
}

/// Two unary methods: Wait is answered after Go has been called.
class Gate : public Service {
 public:
  std::vector<Method> methods() override {
    return {Unary("/test.Gate/Wait",
                  [this] {
                    entered_.Notify();
                    return opened_.WaitForNotificationWithTimeout(kTestTimeout);
                  }),
            Unary("/test.Gate/Go", [this] { return opened_.Notify(), true; })};
  }

  /// Waits until Wait has been called.
  bool Entered() { return entered_.WaitForNotificationWithTimeout(kTestTimeout); }

 private:
  static Method Unary(std::string path, std::function<bool()> body) {
    return UnaryMethod<v1::DescribeKindsRequest, v1::DescribeKindsResponse>(
        std::move(path), [body = std::move(body)](const auto&, auto*) {
          return body() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::ABORTED, "too late");
        });
  }
  absl::Notification entered_, opened_;
};

TEST(Server, ACallThatWaitsDoesNotStopThePolling) {
  Gate gate;
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.threads = 2;
  options.poll_interval = absl::Milliseconds(1);
  options.reflection = false;
  const auto server = MustStart(options, &gate);
  const auto channel = MakeChannel({server->addresses()[0], ""}, {});
  std::thread waiting([&] { EXPECT_TRUE(Call(channel, "/test.Gate/Wait").ok()); });
  ASSERT_TRUE(gate.Entered());
  EXPECT_TRUE(Call(channel, "/test.Gate/Go").ok());
  waiting.join();
}

TEST(Server, StopEndsCallsThatDoNotEndThemselves) {
  FakePlanner planner("r1");
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  const auto server = MustStart(options, &planner);
  const auto stub = v1::PlannerService::NewStub(MakeChannel({server->addresses()[0], ""}, {}));
  const auto context = MakeStreamContext();
  const auto stream = stub->PlanStream(context.get());
  stream->Write({});
  v1::PlanStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  server->Stop(absl::Milliseconds(1));
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_FALSE(stream->Finish().ok());
}

TEST(Server, CallsAreCounted) {
  FakePlanner planner("r1");
  telemetry::Registry registry;
  ServerOptions options;
  options.listen = {"unix:" + SocketPath("s")};
  options.observer = MetricsObserver(&registry);
  auto server = MustStart(options, &planner);
  ASSERT_TRUE(Describe({server->addresses()[0], ""}, {}).ok());
  server->Stop(kTestTimeout);
  const std::string scrape = registry.Scrape();
  const std::string method =
      R"(grpc_method="DescribeKinds",grpc_service="xebec.v1.PlannerService",grpc_type="unary"} 1)";
  for (const char* what : {"started", "msg_received", "msg_sent"}) {
    EXPECT_THAT(scrape, HasSubstr(std::string("grpc_server_") + what + "_total{" + method));
  }
  EXPECT_THAT(scrape, HasSubstr("grpc_server_handled_total{grpc_code=\"OK\"," + method));
  EXPECT_THAT(scrape, HasSubstr("grpc_server_handling_seconds_count{" + method));
}

}  // namespace
}  // namespace xebec::rpc
