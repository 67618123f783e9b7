// SPDX-License-Identifier: Apache-2.0
#include "common/http/credential_worker.h"

#include <utility>

#include "common/http/threads.h"

namespace xebec::http::internal {

CredentialWorker::CredentialWorker(std::shared_ptr<kube::CredentialSource> source, Arrived arrived)
    : source_(std::move(source)), arrived_(std::move(arrived)) {
  thread_ = std::thread([this] { Run(); });
}

CredentialWorker::~CredentialWorker() {
  {
    MutexLock lock(&mu_);
    job_ = Job::kStop;
  }
  changed_.NotifyAll();
  source_->Interrupt();
  thread_.join();
}

void CredentialWorker::Ask(bool anew) {
  {
    MutexLock lock(&mu_);
    if (job_ == Job::kStop || job_ == Job::kGetAnew) return;
    job_ = anew ? Job::kGetAnew : Job::kGet;
  }
  changed_.NotifyAll();
}

CredentialWorker::Job CredentialWorker::NextJob() {
  MutexLock lock(&mu_);
  while (job_ == Job::kNone) changed_.Wait(&mu_);
  return job_ == Job::kStop ? Job::kStop : std::exchange(job_, Job::kNone);
}

void CredentialWorker::Run() {
  PrepareThread("xebec-creds");
  for (Job job = NextJob(); job != Job::kStop; job = NextJob()) {
    const bool anew = job == Job::kGetAnew;
    if (anew) source_->Invalidate();
    arrived_(source_->Get(), anew);
  }
}

}  // namespace xebec::http::internal
