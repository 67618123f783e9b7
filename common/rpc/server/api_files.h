// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace xebec::rpc {

/// A google.protobuf.FileDescriptorSet with the source of comments: the contract, gRPC's own
/// services and all that they import, each after what it imports.
std::string_view EncodedApiFiles();

/// The files of the API as reflection shows them. Thread-safe.
class ApiFiles {
 public:
  ApiFiles();

  /// Of each of these: the file and all that it imports, encoded as FileDescriptorProtos, the file
  /// itself first. Empty: not known.
  std::vector<std::string> Named(const std::string& file) const;
  std::vector<std::string> Defining(const std::string& symbol) const;
  std::vector<std::string> Extending(const std::string& message, int number) const;

  /// The numbers of a message's extensions. Nothing: there is no such message.
  std::optional<std::vector<int>> ExtensionsOf(const std::string& message) const;

 private:
  google::protobuf::DescriptorPool pool_;
};

}  // namespace xebec::rpc
