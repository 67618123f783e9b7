// SPDX-License-Identifier: Apache-2.0
#include "bench/burst.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace xebec::bench {

Burst::Burst(http::ApiClient* client, int count, Request request, Sequel sequel)
    : client_(client), count_(count), request_(std::move(request)), sequel_(std::move(sequel)) {}

bool Burst::Run(int in_flight) {
  for (int i = 0; i < std::min(in_flight, count_); ++i) StartNext();
  finished_.WaitForNotification();
  return failed_ == 0;
}

void Burst::StartNext() {
  const int index = next_++;
  if (index >= count_) return;
  client_->Send(request_(index),
                [this](const kube::ApiResponse& response) { OnResponse(response); });
}

void Burst::OnResponse(const kube::ApiResponse& response) {
  if (response.status != 200 && response.status != 201) {
    std::fprintf(stderr, "refused: %d %s %s\n", response.status, response.error_message.c_str(),
                 response.body.substr(0, 300).c_str());
    return OnDone(false);
  }
  if (!sequel_) return OnDone(true);
  sequel_(response, [this](bool ok) { OnDone(ok); });
}

void Burst::OnDone(bool ok) {
  if (!ok) ++failed_;
  if (++done_ == count_) return finished_.Notify();
  StartNext();
}

}  // namespace xebec::bench
