// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/resolver.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/declare/declaration.h"
#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

// A CRD often appears moments after the declaration that names it.
constexpr Backoff kLook = {absl::Milliseconds(500), absl::Seconds(10)};

}  // namespace

void Resolver::Want(const std::vector<DeclaredResource>& resources, absl::Duration now) {
  std::map<Name, Fact> wanted;
  for (const DeclaredResource& resource : resources) {
    const auto known = facts_.find(NameOf(resource));
    Fact& fact = wanted[NameOf(resource)];
    fact = known == facts_.end() ? Fact{.ask_at = now} : known->second;
  }
  facts_ = std::move(wanted);
}

bool Resolver::On(const Resolved& input, absl::Duration now) {
  const auto found = facts_.find(NameOf(input.resource));
  if (found == facts_.end()) return false;
  Fact& fact = found->second;
  if (!input.resource.type) {
    fact.absent = true;
    fact.dropped = fact.type.has_value();
    return Missing(input.resource,
                   absl::StrCat("the API server does not serve ", Describe(input.resource),
                                "; apply its CustomResourceDefinition"),
                   now, &fact);
  }
  Fact known{.type = input.resource.type};
  const bool changed = !(fact.type == known.type && fact.problem.empty());
  fact = std::move(known);
  return changed;
}

// What was known before stays known.
bool Resolver::On(const ResolveFailed& input, absl::Duration now) {
  const auto found = facts_.find(NameOf(input.resource));
  if (found == facts_.end()) return false;
  Fact& fact = found->second;
  fact.absent = false;
  if (fact.type) {
    AskLater(input.resource, now, &fact);
    return false;
  }
  return Missing(input.resource,
                 absl::StrCat("the watcher cannot find out whether ", Describe(input.resource),
                              " is served: ", Describe(input.failure)),
                 now, &fact);
}

bool Resolver::Missing(const DeclaredResource& resource, std::string problem, absl::Duration now,
                       Fact* fact) {
  AskLater(resource, now, fact);
  const bool changed = fact->problem != problem;
  fact->problem = std::move(problem);
  return changed;
}

void Resolver::AskLater(const DeclaredResource& resource, absl::Duration now, Fact* fact) {
  fact->asking = false;
  fact->ask_at = now + BackoffDelay(kLook, fact->failures++, Seed(resource.plural, 0));
}

void Resolver::Doubt(const ResourceType& type, absl::Duration now) {
  for (auto& [name, fact] : facts_) {
    const bool known = !fact.asking && fact.ask_at == absl::InfiniteDuration();
    if (known && fact.type == type) fact.ask_at = now;
  }
}

void Resolver::OnTick(absl::Duration now, Outputs* out) {
  for (auto& [name, fact] : facts_) {
    if (fact.asking || fact.ask_at > now) continue;
    fact.asking = true;
    fact.ask_at = absl::InfiniteDuration();
    const auto& [group, version, plural] = name;
    out->push_back(Resolve{{group, version, plural, {}, ""}});
  }
}

absl::Duration Resolver::NextDeadline() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& [name, fact] : facts_) next = std::min(next, fact.ask_at);
  return next;
}

DeclaredResource Resolver::About(const DeclaredResource& resource) const {
  DeclaredResource about{resource.group, resource.version, resource.plural, {}, ""};
  if (const auto found = facts_.find(NameOf(resource)); found != facts_.end()) {
    about.type = found->second.type;
    about.problem = found->second.problem;
  }
  return about;
}

bool Resolver::MayBeServed(const DeclaredResource& resource) const {
  const auto found = facts_.find(NameOf(resource));
  return found == facts_.end() || !found->second.absent;
}

bool Resolver::Serves(const DeclaredResource& resource) const {
  const auto found = facts_.find(NameOf(resource));
  return found != facts_.end() && found->second.type && !found->second.dropped;
}

}  // namespace xebec::watcher
