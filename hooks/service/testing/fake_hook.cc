// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/testing/fake_hook.h"

#include <chrono>
#include <thread>
#include <utility>

#include "google/protobuf/any.pb.h"
#include "google/protobuf/duration.pb.h"
#include "gtest/gtest.h"
#include "hooks/service/unary_call.h"

namespace xebec::gateway::testing {
namespace {

namespace hv1 = ::xebec::hooks::v1;

/// Appends a field with a length.
void AppendField(std::string* message, int number, const std::string& value) {
  ASSERT_LT(value.size(), 128u);
  message->push_back(static_cast<char>(number << 3 | 2));
  message->push_back(static_cast<char>(value.size()));
  message->append(value);
}

std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const FakeHookOptions& options) {
  if (!options.certificate) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions ssl;
  ssl.pem_key_cert_pairs.push_back({options.certificate->key_pem, options.certificate->cert_pem});
  if (!options.client_ca.empty()) {
    ssl.pem_root_certs = options.client_ca;
    ssl.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  return grpc::SslServerCredentials(ssl);
}

}  // namespace

SyncReply Desire(const std::string& status) {
  hv1::SyncResponse response;
  response.mutable_desired()->set_status(status);
  return {grpc::Status::OK, response.SerializeAsString()};
}

std::string StatusIn(const std::string& answer) {
  hv1::SyncResponse response;
  EXPECT_TRUE(response.ParseFromString(answer));
  return response.desired().status();
}

std::string RetryInfoDetails(int seconds) {
  google::protobuf::Duration delay;
  delay.set_seconds(seconds);
  std::string info;
  AppendField(&info, 1, delay.SerializeAsString());
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  any.set_value(info);
  std::string status;
  AppendField(&status, 2, "slow down");
  AppendField(&status, 3, any.SerializeAsString());
  return status;
}

class FakeHook::Service final
    : public hv1::HookService::WithRawCallbackMethod_Sync<hv1::HookService::Service> {
 public:
  explicit Service(FakeHookOptions options) : options_(std::move(options)) {}

  grpc::Status Describe(grpc::ServerContext*, const hv1::DescribeRequest*,
                        hv1::DescribeResponse* response) override {
    response->set_revision(options_.revision);
    if (options_.sync_stream) response->add_capabilities(hv1::CAPABILITY_SYNC_STREAM);
    MutexLock lock(&mu_);
    ++describes_;
    return grpc::Status::OK;
  }

  grpc::ServerUnaryReactor* Sync(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const std::optional<SyncReply> reply = options_.behaviour(BytesOf(*request));
    if (reply) {
      *response = BufferOf(reply->bytes);
      if (reply->pushback_ms >= 0) {
        context->AddTrailingMetadata("grpc-retry-pushback-ms", std::to_string(reply->pushback_ms));
      }
      reactor->Finish(reply->status);
    }
    MutexLock lock(&mu_);
    if (!reply) held_.push_back(reactor);
    ++syncs_;
    changed_.NotifyAll();
    return reactor;
  }

  grpc::Status SyncStream(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<hv1::SyncStreamResponse, hv1::SyncStreamRequest>* stream) override {
    hv1::SyncStreamRequest request;
    while (stream->Read(&request)) {
      const std::optional<SyncReply> reply =
          options_.behaviour(request.request().SerializeAsString());
      {
        MutexLock lock(&mu_);
        ++syncs_;
        changed_.NotifyAll();
      }
      if (!reply) continue;
      if (!reply->status.ok()) return reply->status;
      hv1::SyncStreamResponse response;
      response.mutable_response()->ParseFromString(reply->bytes);
      const auto answer = [&](int64_t offset) {
        response.set_call(request.call() + static_cast<uint64_t>(offset));
        stream->Write(response);
      };
      for (const int64_t offset : options_.before) answer(offset);
      answer(0);
      for (const int64_t offset : options_.after) answer(offset);
    }
    return grpc::Status::OK;
  }

  void Release() {
    MutexLock lock(&mu_);
    for (grpc::ServerUnaryReactor* reactor : held_) reactor->Finish(grpc::Status::CANCELLED);
    held_.clear();
  }

  FakeHookOptions options_;
  Mutex mu_;
  CondVar changed_;
  size_t syncs_ ABSL_GUARDED_BY(mu_) = 0;
  size_t describes_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<grpc::ServerUnaryReactor*> held_ ABSL_GUARDED_BY(mu_);
};

FakeHook::FakeHook(FakeHookOptions options) : service_(std::make_unique<Service>(options)) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(32 << 20);
  builder.AddListeningPort("127.0.0.1:" + std::to_string(options.port), CredentialsOf(options),
                           &port_);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
}

FakeHook::~FakeHook() {
  std::thread shutdown([this] { server_->Shutdown(std::chrono::system_clock::time_point::min()); });
  service_->Release();
  shutdown.join();
  service_->Release();
}

void FakeHook::AwaitSyncs(size_t count) {
  MutexLock lock(&service_->mu_);
  while (service_->syncs_ < count) {
    if (service_->changed_.WaitFor(&service_->mu_, absl::Seconds(60))) break;
  }
  EXPECT_GE(service_->syncs_, count);
}

size_t FakeHook::syncs() {
  MutexLock lock(&service_->mu_);
  return service_->syncs_;
}

size_t FakeHook::describes() {
  MutexLock lock(&service_->mu_);
  return service_->describes_;
}

}  // namespace xebec::gateway::testing
