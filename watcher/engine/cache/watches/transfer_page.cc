// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/transfer_page.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "watcher/engine/cache/store/keep_rule.h"

namespace xebec::watcher {
namespace {

absl::Status NotHeld(const ResourceSpec& spec, const char* why) {
  return absl::FailedPreconditionError(absl::StrCat(Describe(spec), ": ", why));
}

/// Where a page begins. Objects keep their places as long as no list and no lost or gained bucket
/// rearranges the cache.
struct Place {
  uint64_t list = 0;
  uint64_t rearranged = 0;
  Slot slot = 0;
  std::string version;
};

std::string Write(const Place& place) {
  return absl::StrCat(place.list, "/", place.rearranged, "/", place.slot, "/", place.version);
}

std::optional<Place> Read(const std::string& token) {
  const std::vector<std::string> parts = absl::StrSplit(token, '/');
  Place place;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &place.list) ||
      !absl::SimpleAtoi(parts[1], &place.rearranged) || !absl::SimpleAtoi(parts[2], &place.slot)) {
    return std::nullopt;
  }
  place.version = parts[3];
  return place;
}

bool SameFields(ResourceSpec held, const ResourceSpec& wanted) {
  held.projection.keep = wanted.projection.keep;
  return held == wanted;
}

absl::Status Check(const Reflector& reflector, const TransferRequest& request) {
  const ResourceSpec& held = reflector.spec();
  const bool complete = reflector.availability() == Availability::kReady &&
                        reflector.streams().following() && !reflector.cache().merging() &&
                        !reflector.cache().scope().active();
  if (!complete) return NotHeld(request.spec, "the objects are being listed");
  if (!SameFields(held, request.spec)) return NotHeld(request.spec, "the fields are different");
  if (!held.projection.keep.Covers(request.spec.projection.keep)) {
    return NotHeld(request.spec, "the buckets are not held");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TransferPage> TransferObjects(const WatchPool& watches,
                                             const TransferRequest& request) {
  const WatchId* watch = watches.Find(request.spec.type, request.spec.ns);
  if (watch == nullptr) return NotHeld(request.spec, "the resource is not watched");
  const Reflector& reflector = watches.reflector(*watch);
  if (absl::Status status = Check(reflector, request); !status.ok()) return status;
  if (watches.MayLackObjects(*watch)) return NotHeld(request.spec, "another list is due");
  const ResourceCache& cache = reflector.cache();
  Place place{.list = cache.lists().taken,
              .rearranged = cache.rearranged(),
              .version = cache.SeenOf(*request.spec.projection.keep.buckets)};
  if (!request.token.empty()) {
    const std::optional<Place> next = Read(request.token);
    const bool valid = next && next->list == place.list && next->rearranged == place.rearranged;
    if (!valid) return NotHeld(request.spec, "the token is not valid");
    place = *next;
  }
  TransferPage page{.version = place.version, .token = {}, .objects = {}, .left_out = {}};
  const ObjectTable& objects = reflector.store().objects();
  const kube::BucketFilter& filter = request.spec.projection.keep;
  const auto names_parent = [&](const std::string& ns, const std::string& label) {
    return watches.NamesParentIn(*filter.buckets, *watch, ns, label);
  };
  const KeepRule keep(filter, names_parent);
  const Slot end = static_cast<Slot>(std::min<size_t>(objects.end(), place.slot + request.limit));
  for (size_t bytes = 0; place.slot < end && bytes < request.bytes; ++place.slot) {
    if (!objects.Has(place.slot)) continue;
    const StoredObject& object = objects.at(place.slot);
    if (!keep.Keeps(objects.NamespaceOf(place.slot), object)) continue;
    bytes += object.json.size();
    page.objects.push_back(object.json);
  }
  if (place.slot < objects.end()) {
    page.token = Write(place);
  } else {
    page.left_out = watches.LeftOut(*watch);
  }
  return page;
}

}  // namespace xebec::watcher
