// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/health_service.h"

#include <memory>
#include <optional>
#include <utility>

#include "common/rpc/server/message_bytes.h"
#include "common/rpc/server/unary_method.h"

namespace xebec::rpc {

using Request = grpc::health::v1::HealthCheckRequest;
using Response = grpc::health::v1::HealthCheckResponse;

/// One caller who watches the health of one service.
class HealthService::Watch final : public StreamHandler,
                                   public std::enable_shared_from_this<Watch> {
 public:
  Watch(HealthService* health, std::shared_ptr<ServerStream> stream)
      : health_(health), stream_(std::move(stream)) {}

  void OnOpen() override {
    health_->watches_.Enter(shared_from_this());
    stream_->Read();
  }
  void OnRead(grpc::ByteBuffer* message) override {
    if (message == nullptr) return;  // the caller has said all; it waits for changes
    Request request;
    const grpc::Status decoded = DecodeMessage(message, &request);
    if (!decoded.ok()) return stream_->Finish(decoded);
    {
      MutexLock lock(&mu_);
      service_ = request.service();
    }
    Tell();
  }
  void OnDone() override { health_->watches_.Leave(shared_from_this()); }

  /// Sends the health, if the caller has said of what. The lock keeps the newest one last.
  void Tell() {
    MutexLock lock(&mu_);
    if (service_) stream_->Write(EncodeMessage(health_->HealthOf(*service_)));
  }

 private:
  HealthService* const health_;
  const std::shared_ptr<ServerStream> stream_;
  Mutex mu_;
  std::optional<std::string> service_ ABSL_GUARDED_BY(mu_);
};

std::vector<Method> HealthService::methods() {
  auto check = [this](const Request& request, Response* response) -> grpc::Status {
    *response = HealthOf(request.service());
    if (response->status() != Response::SERVICE_UNKNOWN) return grpc::Status::OK;
    return {grpc::StatusCode::NOT_FOUND, "the server does not have this service"};
  };
  auto watch = [this](std::shared_ptr<ServerStream> stream) {
    return std::make_shared<Watch>(this, std::move(stream));
  };
  return {UnaryMethod<Request, Response>("/grpc.health.v1.Health/Check", check),
          {"/grpc.health.v1.Health/Watch", "server_stream", watch}};
}

Response HealthService::HealthOf(const std::string& service) {
  Response health;
  MutexLock lock(&mu_);
  health.set_status(serving_ ? Response::SERVING : Response::NOT_SERVING);
  if (!service.empty() && !services_.contains(service)) {
    health.set_status(Response::SERVICE_UNKNOWN);
  }
  return health;
}

void HealthService::SetServing(bool serving) {
  {
    MutexLock lock(&mu_);
    if (serving_ == serving) return;
    serving_ = serving;
  }
  watches_.ForEach([](Watch& watch) { watch.Tell(); });
}

}  // namespace xebec::rpc
