// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/tls/tls_credentials.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "grpc/grpc_security_constants.h"
#include "grpcpp/security/auth_metadata_processor.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace xebec::rpc {
namespace {

constexpr unsigned kLookEverySeconds = 1;

std::vector<std::string> IdentitiesOf(const grpc::AuthContext& context) {
  std::vector<std::string> identities;
  for (const grpc::string_ref& uri : context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    identities.emplace_back(uri.data(), uri.size());
  }
  return identities;
}

/// Checks the access table before any handler runs.
class Gatekeeper : public grpc::AuthMetadataProcessor {
 public:
  Gatekeeper(AccessTable access, OnRefusal on_refusal)
      : access_(std::move(access)), on_refusal_(std::move(on_refusal)) {}

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context, OutputMetadata*,
                       OutputMetadata*) override {
    const auto path = metadata.find(":path");
    const std::string method =
        path == metadata.end() ? "" : std::string(path->second.data(), path->second.size());
    const std::vector<std::string> identities = IdentitiesOf(*context);
    if (access_.Allows(method, identities)) return grpc::Status::OK;
    if (on_refusal_) on_refusal_(method, identities);
    return {grpc::StatusCode::PERMISSION_DENIED,
            absl::StrCat(
                "the identity ",
                identities.empty() ? "(none in the certificate)" : absl::StrJoin(identities, ", "),
                " may not call ", method)};
  }

 private:
  const AccessTable access_;
  const OnRefusal on_refusal_;
};

auto Provider(const tls::Files& files) {
  return std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      files.key, files.certificate, files.ca, kLookEverySeconds);
}

void WatchFiles(grpc::experimental::TlsCredentialsOptions* options) {
  options->watch_root_certs();
  options->watch_identity_key_cert_pairs();
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> TlsServerCredentials(const tls::Files& files,
                                                              AccessTable access,
                                                              OnRefusal on_refusal) {
  grpc::experimental::TlsServerCredentialsOptions options(Provider(files));
  WatchFiles(&options);
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  auto credentials = grpc::experimental::TlsServerCredentials(options);
  credentials->SetAuthMetadataProcessor(
      std::make_shared<Gatekeeper>(std::move(access), std::move(on_refusal)));
  return credentials;
}

std::shared_ptr<grpc::ChannelCredentials> TlsChannelCredentials(const tls::Files& files) {
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Provider(files));
  WatchFiles(&options);
  return grpc::experimental::TlsCredentials(options);
}

absl::Status ExplainRefusal(const absl::Status& status, const std::string& host) {
  if (absl::StrContains(status.message(), "Hostname Verification Check failed")) {
    return {status.code(),
            absl::StrCat(status.message(), ": its certificate is not valid for the name ", host)};
  }
  if (!absl::StrContains(status.message(), "certificate verify failed")) return status;
  return {status.code(),
          absl::StrCat(status.message(), ": the certificate of ", host,
                       " has expired or is not valid yet by this machine's clock, or no CA in the "
                       "file tls.ca has signed it (half of a renewal?)")};
}

}  // namespace xebec::rpc
