// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/outcomes/packed_outcome.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {
namespace {

constexpr size_t kLengthBits = 7;  // of a byte; the eighth says that another one follows
constexpr size_t kMore = size_t{1} << kLengthBits;

void Put(std::string_view text, std::string* packed) {
  size_t length = text.size();
  for (; length >= kMore; length >>= kLengthBits) {
    packed->push_back(static_cast<char>((length % kMore) | kMore));
  }
  packed->push_back(static_cast<char>(length));
  packed->append(text);
}

std::string Get(std::string_view* packed) {
  size_t length = 0;
  for (size_t shift = 0;; shift += kLengthBits) {
    const auto byte = static_cast<unsigned char>(packed->front());
    packed->remove_prefix(1);
    length |= (byte % kMore) << shift;
    if (byte < kMore) break;
  }
  std::string text(packed->substr(0, length));
  packed->remove_prefix(length);
  return text;
}

// What the id of an operation on `target` ends with: see OperationId.
std::string IdEnd(const ObjectRef& target) {
  return absl::StrCat(" ", ResourceName(target.type), " ", target.ns, target.ns.empty() ? "" : "/",
                      target.name);
}

}  // namespace

PackedOutcome::PackedOutcome(const Outcome& outcome)
    : at_(outcome.at),
      repeats_(outcome.repeats),
      http_status_(static_cast<int16_t>(outcome.http_status)),
      code_(outcome.code),
      certainty_(outcome.certainty),
      terminating_(outcome.terminating),
      cluster_scoped_(outcome.target.type.cluster_scoped) {
  const ObjectRef& target = outcome.target;
  const ResourceType& type = target.type;
  const std::string end = IdEnd(target);
  const bool usual = outcome.operation.ends_with(end);
  std::string packed;
  const size_t kept = outcome.operation.size() - (usual ? end.size() : 0);
  Put(std::string_view(outcome.operation).substr(0, kept), &packed);
  Put(usual ? "" : "whole", &packed);
  for (const std::string* text :
       {&type.group, &type.version, &type.kind, &type.plural, &target.ns, &target.name,
        &outcome.reason, &outcome.message, &outcome.uid, &outcome.holder_uid,
        &outcome.resource_version, &outcome.digest, &outcome.result_digest, &outcome.memo}) {
    Put(*text, &packed);
  }
  texts_ = std::string(packed);  // without room for more
}

Outcome PackedOutcome::Unpack() const {
  Outcome outcome;
  outcome.code = code_;
  outcome.certainty = certainty_;
  outcome.http_status = http_status_;
  outcome.terminating = terminating_;
  outcome.repeats = repeats_;
  outcome.at = at_;
  outcome.target.type.cluster_scoped = cluster_scoped_;
  ObjectRef& target = outcome.target;
  ResourceType& type = target.type;
  std::string_view packed = texts_;
  outcome.operation = Get(&packed);
  const bool usual = Get(&packed).empty();
  for (std::string* text :
       {&type.group, &type.version, &type.kind, &type.plural, &target.ns, &target.name,
        &outcome.reason, &outcome.message, &outcome.uid, &outcome.holder_uid,
        &outcome.resource_version, &outcome.digest, &outcome.result_digest, &outcome.memo}) {
    *text = Get(&packed);
  }
  if (usual) absl::StrAppend(&outcome.operation, IdEnd(target));
  return outcome;
}

}  // namespace xebec::watcher
