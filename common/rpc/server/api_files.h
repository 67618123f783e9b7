// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace xebec::rpc {

/// Returns a serialized google.protobuf.FileDescriptorSet with source comments: Xebec's API, gRPC's
/// own services and their imports. Each file comes after its imports.
std::string_view EncodedApiFiles();

/// The files of the API that reflection serves. Thread-safe.
class ApiFiles {
 public:
  ApiFiles();

  /// Each of these functions returns serialized FileDescriptorProtos: the file first, then
  /// everything that it imports. The result is empty if nothing matches.
  std::vector<std::string> Named(const std::string& file) const;
  std::vector<std::string> Defining(const std::string& symbol) const;
  std::vector<std::string> Extending(const std::string& message, int number) const;

  /// Returns the extension numbers of a message, or nullopt if the message does not exist.
  std::optional<std::vector<int>> ExtensionsOf(const std::string& message) const;

 private:
  google::protobuf::DescriptorPool pool_;
};

}  // namespace xebec::rpc
