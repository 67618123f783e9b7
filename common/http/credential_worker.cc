// SPDX-License-Identifier: Apache-2.0
#include "common/http/credential_worker.h"

#include "common/http/threads.h"

namespace xebec::http::internal {

CredentialWorker::CredentialWorker(std::shared_ptr<kube::CredentialSource> source, Arrived arrived)
    : source_(std::move(source)), arrived_(std::move(arrived)), questions_({.items = 2}) {
  thread_ = std::thread([this] { Run(); });
}

CredentialWorker::~CredentialWorker() {
  questions_.CloseAndClear();
  source_->Interrupt();
  thread_.join();
}

void CredentialWorker::Run() {
  PrepareThread("xebec-creds");
  while (const std::optional<bool> invalidate = questions_.Pop()) {
    if (*invalidate) source_->Invalidate();
    arrived_(source_->Get(), *invalidate);
  }
}

}  // namespace xebec::http::internal
