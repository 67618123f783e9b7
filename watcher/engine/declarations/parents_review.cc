// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/parents_review.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace xebec::watcher {
namespace {

constexpr absl::Duration kCountInterval = absl::Seconds(5);
constexpr absl::Duration kCountSoon = absl::Milliseconds(100);
constexpr absl::Duration kReleaseInterval = absl::Milliseconds(500);
constexpr absl::Duration kSearchInterval = absl::Milliseconds(10);
constexpr size_t kSearchStep = 2000;  // parents
// A bucket that moves is in the shares of one of two watchers after their next renewals.
constexpr absl::Duration kSharesKnown = absl::Seconds(6);

// Adds what another watcher has told. Returns false if it does not run the same declaration yet.
bool AddShare(const DeclaredShares& other, const std::string& name, DeclaredShare* sum) {
  const auto found = other.controllers.find(name);
  if (found == other.controllers.end()) return false;
  sum->parents += found->second.parents;
  sum->problems += found->second.problems;
  sum->holding |= found->second.holding;
  return found->second.version == sum->version;
}

// The buckets in which one of the watchers has counted. A watcher that does not know yet that it
// leads a bucket has not counted there.
BucketSet CountedBy(const DeclaredShares& own,
                    const std::vector<std::optional<DeclaredShares>>& others) {
  BucketSet counted = own.buckets;
  for (const std::optional<DeclaredShares>& other : others) {
    const bool same_count = other && other->buckets.count() == counted.count();
    if (same_count) counted.Add(other->buckets);
  }
  return counted;
}

// The resources that a controller needs and that cannot be read, with the reasons.
std::map<ResourceType, std::string> UnreadableOf(const CacheSet& cache,
                                                 std::optional<ControllerId> id) {
  std::map<ResourceType, std::string> unreadable;
  if (!id) return unreadable;
  const CachedController& controller = cache.controllers()[*id];
  std::vector<const WatchSet*> sets = {&controller.parent};
  for (const WatchSet& each : controller.children) sets.push_back(&each);
  for (const WatchSet& each : controller.related) sets.push_back(&each);
  for (const WatchSet* set : sets) {
    for (const auto& [ns, watch] : set->all()) {
      const Reflector& reflector = cache.watches().reflector(watch);
      if (!reflector.Problem().empty()) unreadable[reflector.spec().type] = reflector.Problem();
    }
  }
  return unreadable;
}

// All parents of the declaration are known, or cannot be read. Its children do not matter.
bool Countable(const Declared& declared, const Declarations& declarations,
               const ReviewContext& context) {
  if (!declarations.ResourcesKnown(declared) || !context.keys_complete) return false;
  const CacheSet& cache = context.cache;
  const std::optional<ControllerId> id = FindController(cache, declared.declaration.name);
  if (!id) return true;
  const auto& watches = cache.controllers()[*id].parent.all();
  return std::all_of(watches.begin(), watches.end(), [&cache](const auto& each) {
    return cache.Ready(each.second) ||
           cache.watches().reflector(each.second).availability() == Availability::kUnavailable;
  });
}

// The caches hold all parents of this watcher. A cache of a version that is not served does not
// count: until the Resolver has found out, the parents may be served in another one.
bool KnowsParents(ControllerId id, const ReviewContext& context) {
  const CacheSet& cache = context.cache;
  const Leadership& leadership = context.leadership;
  const std::vector<uint32_t> assigned = leadership.Assigned().ToVector();
  return std::all_of(assigned.begin(), assigned.end(), [&](uint32_t bucket) {
    return leadership.Leads(bucket, context.now) &&
           cache.Ready(id, bucket, leadership.term(bucket).freshness);
  });
}

}  // namespace

std::optional<ControllerId> FindController(const CacheSet& cache, std::string_view name) {
  for (ControllerId id = 0; id < cache.controllers().size(); ++id) {
    const CachedController& controller = cache.controllers()[id];
    if (controller.active && controller.kind.controller == name) return id;
  }
  return std::nullopt;
}

void ParentsReview::OnParent(ControllerId controller, const ObjectKey& name) {
  const auto search = searches_.find(controller);
  if (search != searches_.end()) search->second.OnParent(name);
}

DeclaredShares ParentsReview::Run(const ReviewContext& context, const HookHealth& hooks,
                                  Declarations* declarations) {
  searching_ = false;
  DeclaredShares own{context.leadership.Assigned(), {}};
  std::set<ControllerId> leaving;
  bool any_leaves = false, uncounted = false;
  for (const auto& [name, declared] : declarations->all()) {
    if (declared.excess) {  // it may have had parents before
      declarations->SetFree(name, /*free=*/false, absl::ZeroDuration(), context.now);
      continue;
    }
    own.controllers[name] = OwnShare(declared, *declarations, context);
    if (!declared.declaration.deleting) continue;
    any_leaves = true;
    if (const auto id = FindController(context.cache, name)) leaving.insert(*id);
  }
  std::erase_if(searches_, [&](const auto& each) { return !leaving.contains(each.first); });
  const auto others = context.leadership.OtherShares(context.now);
  const bool all_counted =
      context.leadership.AllAssigned(context.now) && CountedBy(own, others).full();
  for (auto [name, share] : own.controllers) {
    bool all_know = all_counted;
    for (const std::optional<DeclaredShares>& other : others) {
      all_know &= other && AddShare(*other, name, &share);
    }
    const std::optional<ControllerId> id = FindController(context.cache, name);
    declarations->SetUnreadable(name, UnreadableOf(context.cache, id));
    const Declared& declared = *declarations->Find(name);
    const bool deleting = declared.declaration.deleting;
    if (Countable(declared, *declarations, context)) {
      const std::string failure = id ? hooks.FailureOf(*id, !deleting) : "";
      declarations->SetParents(name, {share.parents, share.problems, failure});
    } else {
      uncounted = true;
    }
    const bool free = deleting && all_know && !share.holding;
    declarations->SetFree(name, free, others.empty() ? absl::ZeroDuration() : kSharesKnown,
                          context.now);
  }
  due_ = context.now + (searching_   ? kSearchInterval
                        : any_leaves ? kReleaseInterval
                        : uncounted  ? kCountSoon
                                     : kCountInterval);
  return own;
}

DeclaredShare ParentsReview::OwnShare(const Declared& declared, const Declarations& declarations,
                                      const ReviewContext& context) {
  DeclaredShare share;
  share.version = VersionOf(declared.declaration);
  share.holding = declared.declaration.deleting && MayHold(declared, declarations, context);
  const std::optional<ControllerId> id = FindController(context.cache, declared.declaration.name);
  if (!id) return share;
  share.parents = context.keys.CountOf(*id);
  share.problems = context.keys.ProblemsOf(*id);
  return share;
}

// A finalizer that is not seen may still be there, before all parents of this watcher are cached.
bool ParentsReview::MayHold(const Declared& declared, const Declarations& declarations,
                            const ReviewContext& context) {
  const Declaration& declaration = declared.declaration;
  if (!declared.kind) return declarations.MayHaveParents(declaration);
  const std::optional<ControllerId> id = FindController(context.cache, declaration.name);
  if (!id) return context.cache.RefusalOf(declaration.name).empty();
  return !KnowsParents(*id, context) || HoldsParents(*id, FinalizerOf(declaration), context);
}

bool ParentsReview::HoldsParents(ControllerId id, const std::string& finalizer,
                                 const ReviewContext& context) {
  if (context.reconciles(id)) return true;
  const WatchSet& parents = context.cache.controllers()[id].parent;
  const FinalizerSearch::Result result =
      searches_[id].Continue(parents, context.cache.watches(), finalizer, kSearchStep);
  searching_ |= result == FinalizerSearch::Result::kUnknown;
  return result != FinalizerSearch::Result::kNone;
}

}  // namespace xebec::watcher
