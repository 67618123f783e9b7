// SPDX-License-Identifier: Apache-2.0
#include "common/kube/ca_file.h"

#include <utility>

#include "common/kube/files.h"
#include "common/kube/pem.h"

namespace xebec::kube::internal {

absl::StatusOr<Credentials> CaFileSource::Get() {
  absl::StatusOr<Credentials> credentials = inner_ ? inner_->Get() : Credentials();
  if (credentials.ok()) credentials->ca_pem = ReadCa();
  return credentials;
}

std::string CaFileSource::ReadCa() {
  absl::StatusOr<std::string> read = ReadSmallFile(path_);
  MutexLock lock(&mu_);
  if (read.ok() && CheckCaPem(*read).ok()) ca_pem_ = *std::move(read);
  return ca_pem_;
}

void CaFileSource::Invalidate() {
  if (inner_) inner_->Invalidate();
}

void CaFileSource::Interrupt() {
  if (inner_) inner_->Interrupt();
}

}  // namespace xebec::kube::internal
