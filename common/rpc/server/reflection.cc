// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/reflection.h"

#include <utility>
#include <vector>

#include "common/rpc/server/api_files.h"
#include "common/rpc/server/message_bytes.h"
#include "grpc/reflection/v1/reflection.pb.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace xebec::rpc {
namespace {

namespace one = grpc::reflection::v1;
namespace one_alpha = grpc::reflection::v1alpha;

constexpr char kV1[] = "grpc.reflection.v1.ServerReflection";
constexpr char kV1Alpha[] = "grpc.reflection.v1alpha.ServerReflection";

template <typename Response>
void SetError(grpc::StatusCode code, const std::string& text, Response* response) {
  response->mutable_error_response()->set_error_code(code);
  response->mutable_error_response()->set_error_message(text);
}

template <typename Response>
void SetFiles(const std::vector<std::string>& files, Response* response) {
  if (files.empty()) return SetError(grpc::StatusCode::NOT_FOUND, "not found", response);
  for (const std::string& file : files)
    response->mutable_file_descriptor_response()->add_file_descriptor_proto(file);
}

template <typename Response>
void SetExtensions(const ApiFiles& files, const std::string& message, Response* response) {
  const auto numbers = files.ExtensionsOf(message);
  if (!numbers) return SetError(grpc::StatusCode::NOT_FOUND, "not found", response);
  response->mutable_all_extension_numbers_response()->set_base_type_name(message);
  for (const int number : *numbers)
    response->mutable_all_extension_numbers_response()->add_extension_number(number);
}

/// Answers both versions, whose messages differ only in their names.
template <typename Request, typename Response>
Response Answer(const ApiFiles& files, const std::set<std::string>& services,
                const Request& request) {
  Response response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      SetFiles(files.Named(request.file_by_filename()), &response);
      break;
    case Request::kFileContainingSymbol:
      SetFiles(files.Defining(request.file_containing_symbol()), &response);
      break;
    case Request::kFileContainingExtension: {
      const auto& extension = request.file_containing_extension();
      SetFiles(files.Extending(extension.containing_type(), extension.extension_number()),
               &response);
      break;
    }
    case Request::kAllExtensionNumbersOfType:
      SetExtensions(files, request.all_extension_numbers_of_type(), &response);
      break;
    case Request::kListServices:
      for (const std::string& name : services)
        response.mutable_list_services_response()->add_service()->set_name(name);
      break;
    case Request::MESSAGE_REQUEST_NOT_SET:
      SetError(grpc::StatusCode::INVALID_ARGUMENT, "message_request is missing", &response);
  }
  return response;
}

/// One stream of questions. A question is read when the answer before it was sent.
template <typename Request, typename Response>
class Questions final : public StreamHandler {
 public:
  Questions(std::shared_ptr<const ApiFiles> files, const std::set<std::string>* services,
            std::shared_ptr<ServerStream> stream)
      : files_(std::move(files)), services_(services), stream_(std::move(stream)) {}

  void OnOpen() override { stream_->Read(); }
  void OnRead(grpc::ByteBuffer* message) override {
    if (message == nullptr) return stream_->Finish(grpc::Status::OK);
    Request request;
    const grpc::Status decoded = DecodeMessage(message, &request);
    if (!decoded.ok()) return stream_->Finish(decoded);
    stream_->Write(EncodeMessage(Answer<Request, Response>(*files_, *services_, request)));
  }
  void OnWritten() override { stream_->Read(); }

 private:
  const std::shared_ptr<const ApiFiles> files_;
  const std::set<std::string>* const services_;
  const std::shared_ptr<ServerStream> stream_;
};

template <typename Request, typename Response>
Method Serve(const std::string& service, const std::shared_ptr<const ApiFiles>& files,
             const std::set<std::string>* services) {
  return {"/" + service + "/ServerReflectionInfo", "bidi_stream",
          [files, services](std::shared_ptr<ServerStream> stream) {
            return std::make_shared<Questions<Request, Response>>(files, services,
                                                                  std::move(stream));
          }};
}

}  // namespace

ReflectionService::ReflectionService(std::set<std::string> services)
    : files_(std::make_shared<const ApiFiles>()), services_(std::move(services)) {
  services_.insert({kV1, kV1Alpha});
}

std::vector<Method> ReflectionService::methods() {
  return {
      Serve<one::ServerReflectionRequest, one::ServerReflectionResponse>(kV1, files_, &services_),
      Serve<one_alpha::ServerReflectionRequest, one_alpha::ServerReflectionResponse>(
          kV1Alpha, files_, &services_)};
}

}  // namespace xebec::rpc
