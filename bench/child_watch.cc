// SPDX-License-Identifier: Apache-2.0
#include "bench/child_watch.h"

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"

namespace xebec::bench {

ChildWatch::ChildWatch(http::ApiClient* client, const std::string& ns) {
  kube::ApiRequest request{
      .method = "GET",
      .path = absl::StrCat("/apis/apps/v1/namespaces/", ns, "/deployments?watch=true"),
      .content_type = "",
      .body = ""};
  stream_ = client->Watch(std::move(request), absl::ZeroDuration(),
                          {.on_status = [this](int status) { OnStatus(status); },
                           .on_chunk = [this](std::string_view chunk) { OnChunk(chunk); },
                           .on_end = [](const kube::ApiResponse&) {}});
}

void ChildWatch::OnStatus(int status) {
  const MutexLock lock(&mu_);
  open_ = status == 200;
  changed_.NotifyAll();
}

void ChildWatch::OnChunk(std::string_view chunk) {
  const absl::Duration now = ReadClock().monotonic;
  const MutexLock lock(&mu_);
  auto& arrived = arrived_;
  lines_
      .Feed(chunk,
            [&](std::string_view line) {
              const auto event = kube::DecodeWatchLine(line, kube::Projection{});
              if (!event.ok()) return;
              const kube::ObjectHeader& header = event->object.header;
              arrived.emplace(std::pair(header.name, header.generation), now);
            })
      .IgnoreError();
  changed_.NotifyAll();
}

bool ChildWatch::WaitOpen(absl::Duration timeout) {
  const absl::Duration deadline = ReadClock().monotonic + timeout;
  const MutexLock lock(&mu_);
  while (!open_ && ReadClock().monotonic < deadline) {
    changed_.WaitFor(&mu_, deadline - ReadClock().monotonic);
  }
  return open_;
}

std::optional<absl::Duration> ChildWatch::WaitFor(const std::string& name, int64_t generation,
                                                  absl::Duration timeout) {
  const absl::Duration deadline = ReadClock().monotonic + timeout;
  const MutexLock lock(&mu_);
  while (true) {
    const auto found = arrived_.find({name, generation});
    if (found != arrived_.end()) return found->second;
    if (ReadClock().monotonic >= deadline) return std::nullopt;
    changed_.WaitFor(&mu_, deadline - ReadClock().monotonic);
  }
}

}  // namespace xebec::bench
