// SPDX-License-Identifier: Apache-2.0
// How the watchers of the simulated world hand objects over.
#include <algorithm>
#include <utility>

#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

constexpr size_t kPageSize = 5;

TransferRequest RequestOf(const StartList& request) {
  return {{request.type, request.ns, request.label_selector, request.projection},
          request.continue_token,
          kPageSize};
}

}  // namespace

// The watch of an API server loses no events. The law of history excepts those that a process has
// lost itself, so it hands nothing over from then on.
absl::StatusOr<TransferPage> World::AskWatcher(const StartList& request) const {
  const auto peer = std::find_if(processes_.begin(), processes_.end(), [&](const Process& each) {
    return each.identity == request.from && Runs(each);
  });
  if (peer == processes_.end()) return absl::UnavailableError("no answer");
  if (!peer->lost.empty()) return absl::UnavailableError("an event was lost");
  absl::StatusOr<TransferPage> page = peer->engine->TransferObjects(RequestOf(request));
  if (page.ok() && faults_.defect == Defect::kHandsOverOld) page->version = cluster_.version();
  return page;
}

Input World::HandedOver(const StartList& request) {
  absl::StatusOr<TransferPage> answer = AskWatcher(request);
  if (Chance(faults_.list_fails)) answer = absl::UnavailableError("connection reset");
  if (!answer.ok()) {
    ++counts_["not handed over"];
    return ListFailed{request.stream, {0, "", std::string(answer.status().message()), {}}};
  }
  ++counts_["handed over"];
  kube::ListPage page{{}, answer->version, answer->token};
  const kube::BucketFilter keep = OfList(request.type, request.projection.keep);
  for (const PackedJson& each : answer->objects) {
    page.objects.push_back(FakeCluster::Decode(*ParseJson(*each.Unpack())));
    Filter(keep, &page.objects.back());
  }
  return ListArrived{request.stream, std::move(page), std::move(answer->left_out)};
}

}  // namespace xebec::watcher::testing
