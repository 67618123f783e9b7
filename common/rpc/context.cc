// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/context.h"

#include "common/base/clock.h"

namespace xebec::rpc {
namespace {

constexpr size_t kLongestValue = 256;

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestValue)) {
    if (c >= ' ' && c <= '~') out.push_back(c);
  }
  return out;
}

std::string Metadata(const grpc::ServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto it = metadata.find(key);
  if (it == metadata.end()) return "";
  return Printable({it->second.data(), it->second.size()});
}

void Add(grpc::ClientContext* context, const char* key, std::string_view value) {
  const std::string printable = Printable(value);
  if (!printable.empty()) context->AddMetadata(key, printable);
}

}  // namespace

std::unique_ptr<grpc::ClientContext> MakeCallContext(absl::Duration timeout,
                                                     std::string_view pass_id) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(absl::ToChronoTime(ReadClock().wall + timeout));
  Add(context.get(), kPassIdKey, pass_id);
  return context;
}

std::unique_ptr<grpc::ClientContext> MakeStreamContext(std::string_view name) {
  auto context = std::make_unique<grpc::ClientContext>();
  Add(context.get(), kStreamKey, name);
  return context;
}

std::string PassIdOf(const grpc::ServerContext& context) { return Metadata(context, kPassIdKey); }

std::string StreamNameOf(const grpc::ServerContext& context) {
  return Metadata(context, kStreamKey);
}

}  // namespace xebec::rpc
