// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/reflection.h"

#include <set>
#include <string>

#include "common/rpc/client/context.h"
#include "common/rpc/testing/fake_services.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using google::protobuf::FileDescriptorProto;
using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

/// A server with reflection, and one stream of questions to it.
class ReflectionTest : public ::testing::Test {
 protected:
  ReflectionTest() {
    ServerOptions options;
    options.reflection = true;
    server_ = Server::Start(options, {&planner_}).value();
    stub_ = grpc::reflection::v1::ServerReflection::NewStub(server_->InProcessChannel());
    stream_ = stub_->ServerReflectionInfo(context_.get());
  }

  void TearDown() override {
    EXPECT_TRUE(stream_->WritesDone());
    EXPECT_TRUE(stream_->Finish().ok());
  }

  ServerReflectionResponse Ask(const ServerReflectionRequest& request) {
    ServerReflectionResponse response;
    EXPECT_TRUE(stream_->Write(request) && stream_->Read(&response));
    EXPECT_EQ(response.original_request().SerializeAsString(), request.SerializeAsString());
    return response;
  }

  std::vector<FileDescriptorProto> FilesDefining(const std::string& symbol) {
    ServerReflectionRequest request;
    request.set_file_containing_symbol(symbol);
    return Decode(Ask(request));
  }

  static std::vector<FileDescriptorProto> Decode(const ServerReflectionResponse& response) {
    std::vector<FileDescriptorProto> files;
    for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto())
      EXPECT_TRUE(files.emplace_back().ParseFromString(bytes));
    return files;
  }

  FakePlanner planner_{"r1"};
  std::unique_ptr<Server> server_;
  std::unique_ptr<grpc::reflection::v1::ServerReflection::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_ = MakeCallContext(kTestTimeout);
  std::unique_ptr<grpc::ClientReaderWriter<ServerReflectionRequest, ServerReflectionResponse>>
      stream_;
};

std::string Comments(const FileDescriptorProto& file) {
  std::string all;
  for (const auto& location : file.source_code_info().location())
    all += location.leading_comments();
  return all;
}

std::set<std::string> Names(const std::vector<FileDescriptorProto>& files) {
  std::set<std::string> names;
  for (const FileDescriptorProto& file : files) names.insert(file.name());
  return names;
}

TEST_F(ReflectionTest, ListsWhatIsServedAndNothingElse) {
  ServerReflectionRequest request;
  request.set_list_services("*");
  const ServerReflectionResponse response = Ask(request);
  std::set<std::string> names;
  for (const auto& service : response.list_services_response().service())
    names.insert(service.name());
  EXPECT_THAT(names,
              ElementsAre("grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                          "grpc.reflection.v1alpha.ServerReflection", "xebec.v1.PlannerService"));
  for (const std::string& name : names) EXPECT_FALSE(FilesDefining(name).empty()) << name;
}

TEST_F(ReflectionTest, AFileComesFirstWithItsCommentsAndThenAllThatItImports) {
  for (const char* symbol : {"xebec.v1.PlannerService", "xebec.v1.PlannerService.Plan",
                             "xebec.v1.PlanRequest", "xebec.v1.PlanRequest.observation"}) {
    const auto files = FilesDefining(symbol);
    ASSERT_FALSE(files.empty()) << symbol;
    EXPECT_EQ(files[0].name(), "xebec/v1/planner.proto");
    EXPECT_THAT(Comments(files[0]), HasSubstr("Plans one parent."));
    EXPECT_THAT(Names(files), IsSupersetOf({"xebec/v1/plan.proto", "xebec/v1/envelope.proto",
                                            "google/protobuf/struct.proto"}));
    EXPECT_EQ(Names(files).size(), files.size()) << "each once";
  }
}

TEST_F(ReflectionTest, FilesAreFoundByName) {
  ServerReflectionRequest request;
  request.set_file_by_filename("xebec/v1/report.proto");
  EXPECT_THAT(Names(Decode(Ask(request))), Contains("xebec/v1/report.proto"));
}

TEST_F(ReflectionTest, WhatIsNotKnownIsSaidAndTheStreamGoesOn) {
  ServerReflectionRequest symbol, file, extension, numbers;
  symbol.set_file_containing_symbol("xebec.v1.Nothing");
  file.set_file_by_filename("nothing.proto");
  extension.mutable_file_containing_extension()->set_containing_type("xebec.v1.Plan");
  numbers.set_all_extension_numbers_of_type("xebec.v1.Nothing");
  for (const ServerReflectionRequest& request : {symbol, file, extension, numbers}) {
    EXPECT_EQ(Ask(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND)
        << request.ShortDebugString();
  }
  EXPECT_EQ(Ask({}).error_response().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_FALSE(FilesDefining("xebec.v1.Plan").empty());
}

TEST_F(ReflectionTest, AMessageWithoutExtensionsHasNone) {
  ServerReflectionRequest request;
  request.set_all_extension_numbers_of_type("xebec.v1.Plan");
  const auto response = Ask(request).all_extension_numbers_response();
  EXPECT_EQ(response.base_type_name(), "xebec.v1.Plan");
  EXPECT_TRUE(response.extension_number().empty());
}

TEST_F(ReflectionTest, TheOlderVersionSaysTheSame) {
  const auto stub =
      grpc::reflection::v1alpha::ServerReflection::NewStub(server_->InProcessChannel());
  const auto context = MakeCallContext(kTestTimeout);
  const auto stream = stub->ServerReflectionInfo(context.get());
  grpc::reflection::v1alpha::ServerReflectionRequest request;
  request.set_file_containing_symbol("xebec.v1.Plan");
  grpc::reflection::v1alpha::ServerReflectionResponse response;
  ASSERT_TRUE(stream->Write(request) && stream->Read(&response));
  ServerReflectionRequest same;
  same.set_file_containing_symbol("xebec.v1.Plan");
  EXPECT_EQ(response.SerializeAsString(), Ask(same).SerializeAsString());
}

}  // namespace
}  // namespace xebec::rpc
