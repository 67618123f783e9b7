// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/api_files.h"

#include <set>

#include "google/protobuf/descriptor.pb.h"

namespace xebec::rpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

std::string EncodeFile(const FileDescriptor& file) {
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  file.CopyJsonNameTo(&proto);
  file.CopySourceCodeInfoTo(&proto);
  return proto.SerializeAsString();
}

void AddWithImports(const FileDescriptor& file, std::set<const FileDescriptor*>* seen,
                    std::vector<std::string>* encoded) {
  if (!seen->insert(&file).second) return;
  encoded->push_back(EncodeFile(file));
  for (int i = 0; i < file.dependency_count(); ++i)
    AddWithImports(*file.dependency(i), seen, encoded);
}

std::vector<std::string> WithImports(const FileDescriptor* file) {
  std::set<const FileDescriptor*> seen;
  std::vector<std::string> encoded;
  if (file != nullptr) AddWithImports(*file, &seen, &encoded);
  return encoded;
}

}  // namespace

ApiFiles::ApiFiles() {
  const std::string_view bytes = EncodedApiFiles();
  google::protobuf::FileDescriptorSet files;
  files.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  for (const auto& file : files.file()) pool_.BuildFile(file);
}

std::vector<std::string> ApiFiles::Named(const std::string& file) const {
  return WithImports(pool_.FindFileByName(file));
}

std::vector<std::string> ApiFiles::Defining(const std::string& symbol) const {
  return WithImports(pool_.FindFileContainingSymbol(symbol));
}

std::vector<std::string> ApiFiles::Extending(const std::string& message, int number) const {
  const Descriptor* extended = pool_.FindMessageTypeByName(message);
  if (extended == nullptr) return {};
  const FieldDescriptor* extension = pool_.FindExtensionByNumber(extended, number);
  return extension == nullptr ? std::vector<std::string>() : WithImports(extension->file());
}

std::optional<std::vector<int>> ApiFiles::ExtensionsOf(const std::string& message) const {
  const Descriptor* extended = pool_.FindMessageTypeByName(message);
  if (extended == nullptr) return std::nullopt;
  std::vector<const FieldDescriptor*> extensions;
  pool_.FindAllExtensions(extended, &extensions);
  std::vector<int> numbers;
  numbers.reserve(extensions.size());
  for (const FieldDescriptor* each : extensions) numbers.push_back(each->number());
  return numbers;
}

}  // namespace xebec::rpc
