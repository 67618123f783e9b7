// SPDX-License-Identifier: Apache-2.0
// Streams of a Server: the order and the end of messages, callers that are slow or gone.
#include <atomic>
#include <thread>

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/client/unary_call.h"
#include "common/rpc/server/message_bytes.h"
#include "common/rpc/server/server.h"
#include "common/rpc/testing/fake_services.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using Request = v1::PlanStreamRequest;
using Response = v1::PlanStreamResponse;

grpc::ByteBuffer Numbered(uint64_t sequence) {
  Response response;
  response.set_sequence(sequence);
  return EncodeMessage(response);
}

struct Seen {
  std::vector<std::shared_ptr<ServerStream>> streams;
  int read = 0, half_closed = 0, written = 0, done = 0;
};

/// Only counts; the test reads and writes.
class Counting final : public StreamHandler {
 public:
  Counting(Watched<Seen>* seen, std::shared_ptr<ServerStream> stream)
      : seen_(seen), stream_(std::move(stream)) {}
  void OnOpen() override {
    seen_->With([this](Seen& seen) { seen.streams.push_back(stream_); });
  }
  void OnRead(grpc::ByteBuffer* message) override {
    seen_->With([&](Seen& seen) { ++(message != nullptr ? seen.read : seen.half_closed); });
  }
  void OnWritten() override {
    seen_->With([](Seen& seen) { ++seen.written; });
  }
  void OnDone() override {
    EXPECT_TRUE(stream_->over());
    seen_->With([](Seen& seen) { ++seen.done; });
  }

 private:
  Watched<Seen>* const seen_;
  const std::shared_ptr<ServerStream> stream_;
};

class StreamTest : public testing::Test, public Service {
 protected:
  std::vector<Method> methods() override {
    return {{"/xebec.v1.PlannerService/PlanStream", "bidi_stream",
             [this](std::shared_ptr<ServerStream> stream) {
               return std::make_shared<Counting>(&seen_, std::move(stream));
             }}};
  }

  StreamTest() {
    ServerOptions options;
    options.threads = 2;
    options.listen = {"unix:" + SocketPath("s")};
    server_ = Server::Start(options, {this}).value();
    stub_ = v1::PlannerService::NewStub(MakeChannel({server_->addresses()[0], ""}, {}));
    caller_ = stub_->PlanStream(context_.get());
    seen_.Await([](const Seen& seen) { return !seen.streams.empty(); });
    stream_ = seen_.With([](Seen& seen) { return seen.streams.front(); });
  }
  ~StreamTest() override { server_->Stop(absl::ZeroDuration()); }

  bool Await(int Seen::*count, int value) {
    return seen_.Await([=](const Seen& seen) { return seen.*count >= value; });
  }
  int Count(int Seen::*count) {
    return seen_.With([=](Seen& seen) { return seen.*count; });
  }
  std::vector<uint64_t> ReadAll() {
    std::vector<uint64_t> sequences;
    for (Response response; caller_->Read(&response);) sequences.push_back(response.sequence());
    return sequences;
  }

  Watched<Seen> seen_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<v1::PlannerService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_ = MakeCallContext(kTestTimeout);
  std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> caller_;
  std::shared_ptr<ServerStream> stream_;
};

TEST_F(StreamTest, MessagesArriveInTheOrderInWhichTheyWereWrittenAndThenTheStatus) {
  constexpr uint64_t kMany = 3000;
  std::thread writer([this] {
    for (uint64_t i = 0; i < kMany; ++i) stream_->Write(Numbered(i));
    stream_->Finish({grpc::StatusCode::ABORTED, "that was all"});
    stream_->Finish(grpc::Status::OK);
    stream_->Write(Numbered(kMany));
  });
  const std::vector<uint64_t> sequences = ReadAll();
  writer.join();
  ASSERT_EQ(sequences.size(), kMany);
  for (uint64_t i = 0; i < kMany; ++i) EXPECT_EQ(sequences[i], i);
  EXPECT_EQ(caller_->Finish().error_message(), "that was all");
  EXPECT_TRUE(Await(&Seen::done, 1));
}

TEST_F(StreamTest, NothingIsReadThatWasNotRequested) {
  caller_->Write({});
  caller_->Write({});
  caller_->WritesDone();
  stream_->Read();
  EXPECT_TRUE(Await(&Seen::read, 1));
  stream_->WriteAndFinish(Numbered(7), grpc::Status::OK);
  EXPECT_EQ(ReadAll(), std::vector<uint64_t>{7});
  EXPECT_TRUE(caller_->Finish().ok());
  EXPECT_TRUE(Await(&Seen::done, 1));
  EXPECT_EQ(Count(&Seen::read), 1);
}

TEST_F(StreamTest, AHalfCloseEndsReadsOnly) {
  caller_->WritesDone();
  stream_->Read();
  EXPECT_TRUE(Await(&Seen::half_closed, 1));
  stream_->Write(Numbered(1));
  stream_->Finish(grpc::Status::OK);
  EXPECT_EQ(ReadAll(), std::vector<uint64_t>{1});
  EXPECT_TRUE(caller_->Finish().ok());
}

TEST_F(StreamTest, ACallerWhoCancelsEndsTheStreamOnce) {
  stream_->Read();
  context_->TryCancel();
  EXPECT_TRUE(Await(&Seen::done, 1));
  EXPECT_TRUE(stream_->over());
  stream_->Write(Numbered(1));
  stream_->Read();
  stream_->Finish(grpc::Status::OK);
  server_->Stop(absl::ZeroDuration());
  EXPECT_EQ(Count(&Seen::done), 1);
  EXPECT_EQ(Count(&Seen::written), 0);
}

TEST_F(StreamTest, StopEndsStreamsAndWritesAtThatTimeDoNoHarm) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) stream_->Write(Numbered(1));
  });
  EXPECT_TRUE(Await(&Seen::written, 10));
  std::thread reader([this] { ReadAll(); });
  server_->Stop(absl::Milliseconds(1));
  EXPECT_EQ(Count(&Seen::done), 1);
  stop = true;
  writer.join();
  reader.join();
  EXPECT_FALSE(caller_->Finish().ok());
}

TEST_F(StreamTest, AnUnknownMethodIsUnimplemented) {
  const auto answer =
      CallUnary(server_->InProcessChannel(), "/xebec.v1.Unheard/Of", "", kTestTimeout);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace xebec::rpc
