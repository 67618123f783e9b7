// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/declarations.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

// Declarations that are applied together become one change.
constexpr absl::Duration kDebounce = absl::Milliseconds(50);
// Longest time until a watcher that starts should know what it was about.
constexpr absl::Duration kStarting = absl::Seconds(5);

// The resources that must be resolved for a declaration.
std::vector<DeclaredResource> WantedFor(const Declaration& declaration) {
  std::vector<DeclaredResource> wanted = ResourcesOf(declaration);
  if (auto any = AnyVersionOfParent(declaration)) wanted.push_back(*std::move(any));
  return wanted;
}

std::vector<Declared*> OldestFirst(std::map<std::string, Declared, std::less<>>* all) {
  std::vector<Declared*> in_order;
  for (auto& [name, declared] : *all) in_order.push_back(&declared);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Declared* a, const Declared* b) { return a->created < b->created; });
  return in_order;
}

}  // namespace

std::string VersionOf(const Declaration& declaration) {
  return absl::StrCat(declaration.uid, "@", declaration.generation,
                      declaration.deleting ? " leaving" : "");
}

void Declarations::Touch(absl::Duration now) {
  read_at_ = std::min(read_at_, now + kDebounce);
  begun_ = std::min(begun_, now);
}

void Declarations::Postpone() {
  read_at_ = absl::InfiniteDuration();
  postponed_ = true;
}

void Declarations::OnReadable(absl::Duration now) {
  if (std::exchange(postponed_, false)) Touch(now);
}

void Declarations::Read(const std::vector<ObjectBytes>& objects, absl::Duration now,
                        const std::string& guard) {
  read_at_ = absl::InfiniteDuration();
  postponed_ = false;
  std::map<std::string, Declared, std::less<>> all;
  std::vector<DeclaredResource> wanted;
  for (const ObjectBytes& object : objects) {
    const absl::StatusOr<Json> json = ParseJson(*object);
    if (!json.ok()) continue;
    const absl::StatusOr<Declaration> declaration = ReadDeclaration(*json);
    if (!declaration.ok()) continue;  // its own plan says why
    const std::string& name = declaration->name;
    const auto known = all_.find(name);
    Declared declared;
    if (known != all_.end() && known->second.declaration.uid == declaration->uid) {
      declared = std::move(known->second);
    }
    declared.declaration = *declaration;
    declared.object = object;
    declared.guarded = guard.empty() || absl::StrContains(*object, "\"" + guard + "\"");
    declared.created = FindString(*json, {"metadata", "creationTimestamp"});
    if (!declaration->deleting) declared.hook.Follow(name, declaration->hook, now);
    for (DeclaredResource& each : WantedFor(*declaration)) wanted.push_back(std::move(each));
    all.emplace(name, std::move(declared));
  }
  all_ = std::move(all);
  MarkExcess();
  resolver_.Want(wanted, now);
  Compile();
}

// Which of them have run before, this watcher may not know: an older one can become valid later.
void Declarations::MarkExcess() {
  size_t older = 0, leaving = 0;
  for (Declared* each : OldestFirst(&all_)) {
    each->excess =
        older++ >= kMaxDeclared && !(each->declaration.deleting && leaving++ < kMaxLeaving);
  }
}

void Declarations::Compile() {
  compiled_ = true;
  for (auto& [name, declared] : all_) CompileOne(&declared);
}

void Declarations::CompileOne(Declared* declared) {
  Notice(declared->declaration.name);
  declared->kind.reset();
  if (declared->excess) {
    declared->problem = absl::StrCat("Xebec runs the ", kMaxDeclared,
                                     " oldest Operators; delete others that nobody needs");
    return;
  }
  const auto compiled = xebec::Compile(declared->declaration, ServedFor(*declared));
  declared->problem = compiled.ok() ? "" : std::string(compiled.status().message());
  if (compiled.ok()) declared->kind = *compiled;
}

void Declarations::On(const Resolved& input, absl::Duration now) {
  if (resolver_.On(input, now)) Compile();
}

void Declarations::On(const ResolveFailed& input, absl::Duration now) {
  if (resolver_.On(input, now)) Compile();
}

bool Declarations::On(const HookAnswered& input, absl::Duration now) {
  for (auto& [name, declared] : all_) {
    const std::optional<HookState> before = declared.hook.state();
    if (!declared.hook.On(input, now)) continue;
    const HookState& state = *declared.hook.state();
    if (before != declared.hook.state()) Notice(name);
    if (!(before && before->available) && state.available) available_.insert(name);
    if (state.revision.empty() || state.revision == declared.told_revision) return true;
    if (!declared.told_revision.empty()) new_programs_.insert(name);
    declared.told_revision = state.revision;
    return true;
  }
  return false;
}

void Declarations::OnTick(absl::Duration now, uint32_t credits, uint64_t* sequence, Outputs* out) {
  resolver_.OnTick(now, out);
  for (auto& [name, declared] : all_) {
    if (declared.hook.NextDeadline() > now) continue;
    const std::optional<HookState> before = declared.hook.state();
    declared.hook.OnTick(now, credits, sequence, out);
    if (before != declared.hook.state()) Notice(name);
  }
}

absl::Duration Declarations::NextDeadline() const {
  absl::Duration next = std::min(read_at_, resolver_.NextDeadline());
  for (const auto& [name, declared] : all_) next = std::min(next, declared.hook.NextDeadline());
  return next;
}

std::optional<std::vector<DeclaredKind>> Declarations::TakeKinds() {
  if (!std::exchange(compiled_, false)) return std::nullopt;
  std::vector<DeclaredKind> kinds;
  for (const Declared* declared : OldestFirst(&all_)) {
    if (!declared->kind) continue;
    const Declaration& its = declared->declaration;
    const bool paused = its.paused || (its.finalizer && !declared->guarded);
    kinds.push_back({*declared->kind, VersionOf(its), paused && !its.deleting,
                     its.status && !its.deleting, its.deleting});
  }
  return kinds;
}

const Declared* Declarations::Find(std::string_view controller) const {
  const auto found = all_.find(controller);
  return found == all_.end() ? nullptr : &found->second;
}

void Declarations::SetFree(std::string_view controller, bool free, absl::Duration at_least,
                           absl::Duration now) {
  const auto found = all_.find(controller);
  if (found == all_.end()) return;
  Declared& declared = found->second;
  declared.free_since = free ? std::min(declared.free_since, now) : absl::InfiniteDuration();
  const bool released = free && now - declared.free_since >= at_least;
  if (declared.released != released) Notice(found->first);
  declared.released = released;
}

void Declarations::SetParents(std::string_view controller, const ParentFacts& parents) {
  const auto found = all_.find(controller);
  if (found == all_.end()) return;
  Declared& declared = found->second;
  if (declared.parents != parents) Notice(found->first);
  declared.parents = parents;
  declared.counted = true;
}

void Declarations::SetUnreadable(std::string_view controller,
                                 std::map<ResourceType, std::string> unreadable) {
  const auto found = all_.find(controller);
  if (found == all_.end() || found->second.unreadable == unreadable) return;
  found->second.unreadable = std::move(unreadable);
  Notice(found->first);
}

bool Declarations::Awaits(std::string_view controller, absl::Duration now) const {
  if (now >= begun_ + kStarting) return false;
  const Declared* declared = Find(controller);
  if (declared == nullptr) return postponed_ || read_at_ != absl::InfiniteDuration();
  if (declared->declaration.deleting) return false;
  return !declared->counted || !declared->hook.state() || !ResourcesKnown(*declared);
}

bool Declarations::ResourcesKnown(const Declared& declared) const {
  const std::vector<DeclaredResource> resources = ResourcesOf(declared.declaration);
  return std::all_of(resources.begin(), resources.end(), [&](const DeclaredResource& each) {
    const DeclaredResource about = resolver_.About(each);
    return about.type || !about.problem.empty();
  });
}

DeclarationFacts Declarations::FactsOf(std::string_view controller) const {
  DeclarationFacts facts;
  const Declared* declared = Find(controller);
  if (declared == nullptr) return facts;
  for (const DeclaredResource& resource : ResourcesOf(declared->declaration)) {
    DeclaredResource& about = facts.resources.emplace_back(resolver_.About(resource));
    if (!about.type) continue;
    const auto unreadable = declared->unreadable.find(*about.type);
    if (unreadable != declared->unreadable.end()) about.problem = unreadable->second;
  }
  const bool all = std::all_of(facts.resources.begin(), facts.resources.end(),
                               [](const DeclaredResource& each) { return each.type.has_value(); });
  if (all) facts.refusal = declared->problem;
  facts.hook = declared->hook.state();
  facts.released = declared->released;
  facts.parents = declared->parents.parents;
  facts.problems = declared->parents.problems;
  facts.failure = declared->parents.failure;
  return facts;
}

std::vector<ResourceType> Declarations::ServedFor(const Declared& declared) const {
  std::vector<ResourceType> served;
  for (const DeclaredResource& resource : WantedFor(declared.declaration)) {
    if (declared.declaration.deleting && !resolver_.Serves(resource)) continue;
    const DeclaredResource about = resolver_.About(resource);
    if (about.type) served.push_back(*about.type);
  }
  return served;
}

}  // namespace xebec::watcher
