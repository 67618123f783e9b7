// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/reflection.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/api_files.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "grpcpp/impl/server_builder_plugin.h"
#include "grpcpp/impl/server_initializer.h"

namespace xebec::rpc {
namespace {

namespace one = grpc::reflection::v1;
namespace one_alpha = grpc::reflection::v1alpha;

/// The services of a server. Thread-safe, because they are known only after the server has started.
class ReflectionCatalog {
 public:
  const ApiFiles& files() const { return files_; }
  void SetServices(std::vector<std::string> services) {
    const MutexLock lock(&mutex_);
    services_ = std::move(services);
  }
  std::vector<std::string> services() const {
    const MutexLock lock(&mutex_);
    return services_;
  }

 private:
  const ApiFiles files_;
  mutable Mutex mutex_;
  std::vector<std::string> services_ ABSL_GUARDED_BY(mutex_);
};

/// Serves both versions, whose messages differ only in their names.
template <typename Base, typename Request, typename Response>
class ReflectionService final : public Base {
 public:
  explicit ReflectionService(std::shared_ptr<const ReflectionCatalog> catalog)
      : catalog_(std::move(catalog)) {}

  grpc::Status ServerReflectionInfo(grpc::ServerContext*,
                                    grpc::ServerReaderWriter<Response, Request>* stream) override {
    Request request;
    while (stream->Read(&request)) {
      if (!stream->Write(Answer(request))) break;
    }
    return grpc::Status::OK;
  }

 private:
  Response Answer(const Request& request) const {
    Response response;
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    switch (request.message_request_case()) {
      case Request::kFileByFilename:
        SetFiles(catalog_->files().Named(request.file_by_filename()), &response);
        break;
      case Request::kFileContainingSymbol:
        SetFiles(catalog_->files().Defining(request.file_containing_symbol()), &response);
        break;
      case Request::kFileContainingExtension: {
        const auto& extension = request.file_containing_extension();
        SetFiles(
            catalog_->files().Extending(extension.containing_type(), extension.extension_number()),
            &response);
        break;
      }
      case Request::kAllExtensionNumbersOfType:
        SetExtensions(request.all_extension_numbers_of_type(), &response);
        break;
      case Request::kListServices:
        for (const std::string& name : catalog_->services())
          response.mutable_list_services_response()->add_service()->set_name(name);
        break;
      case Request::MESSAGE_REQUEST_NOT_SET:
        SetError(grpc::StatusCode::INVALID_ARGUMENT, "message_request is missing", &response);
    }
    return response;
  }

  static void SetError(grpc::StatusCode code, const std::string& text, Response* response) {
    response->mutable_error_response()->set_error_code(code);
    response->mutable_error_response()->set_error_message(text);
  }

  static void SetFiles(const std::vector<std::string>& files, Response* response) {
    if (files.empty()) return SetError(grpc::StatusCode::NOT_FOUND, "not found", response);
    for (const std::string& file : files)
      response->mutable_file_descriptor_response()->add_file_descriptor_proto(file);
  }

  void SetExtensions(const std::string& message, Response* response) const {
    const auto numbers = catalog_->files().ExtensionsOf(message);
    if (!numbers) return SetError(grpc::StatusCode::NOT_FOUND, "not found", response);
    response->mutable_all_extension_numbers_response()->set_base_type_name(message);
    for (const int number : *numbers)
      response->mutable_all_extension_numbers_response()->add_extension_number(number);
  }

  const std::shared_ptr<const ReflectionCatalog> catalog_;
};

using ReflectionV1 = ReflectionService<one::ServerReflection::Service, one::ServerReflectionRequest,
                                       one::ServerReflectionResponse>;
using ReflectionV1Alpha =
    ReflectionService<one_alpha::ServerReflection::Service, one_alpha::ServerReflectionRequest,
                      one_alpha::ServerReflectionResponse>;

class ReflectionPlugin : public grpc::ServerBuilderPlugin {
 public:
  std::string name() override { return "xebec.reflection"; }
  void InitServer(grpc::ServerInitializer* server) override {
    server->RegisterService(std::make_shared<ReflectionV1>(catalog_));
    server->RegisterService(std::make_shared<ReflectionV1Alpha>(catalog_));
  }
  void Finish(grpc::ServerInitializer* server) override {
    catalog_->SetServices(*server->GetServiceList());
  }
  void ChangeArguments(const std::string&, void*) override {}
  bool has_sync_methods() const override { return true; }

 private:
  const std::shared_ptr<ReflectionCatalog> catalog_ = std::make_shared<ReflectionCatalog>();
};

class ReflectionOption : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<ReflectionPlugin>());
  }
};

}  // namespace

std::unique_ptr<grpc::ServerBuilderOption> Reflection() {
  return std::make_unique<ReflectionOption>();
}

}  // namespace xebec::rpc
