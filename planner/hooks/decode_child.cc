// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "planner/core/read_context.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

constexpr size_t kMaxWord = 128;
constexpr size_t kMaxMemo = 4096;  // the watcher keeps it with each outcome

bool IsUpperCamelCase(const std::string& word) {
  if (word.empty() || word.size() > kMaxWord || word[0] < 'A' || word[0] > 'Z') return false;
  return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
         std::string::npos;
}

absl::Status CheckName(const ResourceType& type, const std::string& name) {
  if (name.empty()) return Wrong(absl::StrCat("a ", type.kind, " has no metadata.name"));
  // Most kinds require a DNS subdomain. The names of the other ones are good as a part of a URL.
  if (IsDns1123Subdomain(name)) return absl::OkStatus();
  return Wrong(absl::StrCat("\"", name, "\" is not a valid name for a ", type.kind,
                            R"(: at most 253 lower-case letters, digits, "-" and "." (DNS-1123))"));
}

absl::Status CheckNamespace(const View& view, const ChildRule& rule, const std::string& ns,
                            const std::string& name) {
  const std::string child = absl::StrCat(rule.type.kind, " \"", name, "\"");
  if (rule.type.cluster_scoped) {
    return ns.empty() ? absl::OkStatus()
                      : Wrong(absl::StrCat(
                            child, " has metadata.namespace, but its kind is cluster-scoped"));
  }
  if (view.ns.empty()) {
    return IsDns1123Label(ns)
               ? absl::OkStatus()
               : Wrong(
                     absl::StrCat(child, " needs metadata.namespace, because the parent has none"));
  }
  if (ns.empty() || ns == view.ns) return absl::OkStatus();
  return Wrong(absl::StrCat(child, " is in namespace \"", ns, "\", but the parent is in \"",
                            view.ns, "\": a child is in the namespace of its parent"));
}

absl::Status CheckMemo(const std::string& memo, const std::string& child) {
  if (memo.size() <= kMaxMemo) return absl::OkStatus();
  return Wrong(absl::StrCat(child, ": memo has ", memo.size(), " bytes; the limit is ", kMaxMemo));
}

absl::Status CheckMetadata(const Json& metadata, const std::string& child) {
  for (const char* field : {"labels", "annotations"}) {
    const auto found = metadata.find(field);
    if (found == metadata.end() || found->is_null()) continue;
    if (!found->is_object())
      return Wrong(absl::StrCat(child, ": metadata.", field, " must be an object"));
    for (const auto& [key, value] : found->items()) {
      if (!value.is_string()) {
        return Wrong(absl::StrCat(child, ": metadata.", field, ".", key, " must be a string"));
      }
    }
  }
  for (const char* field :
       {"uid", "resourceVersion", "generateName", "ownerReferences", "finalizers",
        "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"}) {
    if (metadata.contains(field)) {
      return Wrong(absl::StrCat(child, ": a desired child must not have metadata.", field));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<const ChildRule*> RuleOf(const View& view, const std::string& api_version,
                                        const std::string& kind) {
  for (const ChildRule& rule : view.kind.children) {
    if (rule.type.kind != kind || ApiVersion(rule.type) != api_version) continue;
    if (!IsShownOnly(rule)) return &rule;
    return Wrong(absl::StrCat(kind, " (", api_version,
                              ") is declared with parentLabel: the hook can "
                              "read these objects and cannot write them"));
  }
  return Wrong(absl::StrCat("the Operator declares no children of kind ",
                            kind.empty() ? "\"\"" : kind, " (",
                            api_version.empty() ? "no apiVersion" : api_version, ")"));
}

absl::Status DecodeEvent(const wire::Event& in, EventFact* out) {
  if (!wire::EventType_IsValid(in.type()))
    return Wrong(absl::StrCat("event type ", static_cast<int>(in.type()), " is unknown"));
  if (!IsUpperCamelCase(in.reason())) {
    return Wrong(absl::StrCat("the reason of an event must be UpperCamelCase with at most ",
                              kMaxWord, " characters, not \"", in.reason().substr(0, kMaxWord),
                              "\""));
  }
  if (!in.action().empty() && !IsUpperCamelCase(in.action())) {
    return Wrong(absl::StrCat("the action of event ", in.reason(), " must be UpperCamelCase"));
  }
  out->warning = in.type() == wire::EVENT_TYPE_WARNING;
  out->reason = in.reason();
  out->action = in.action().empty() ? in.reason() : in.action();
  out->note = in.note();
  return absl::OkStatus();
}

absl::Status DecodeChild(const wire::DesiredChild& in, const View& view, DesiredChild* out) {
  auto object = ParseJson(in.object());
  if (!object.ok()) return Wrong(absl::StrCat("object is not JSON: ", object.status().message()));
  if (!object->is_object()) return Wrong("object is not a JSON object");
  const Json* metadata = Find(*object, {"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return Wrong("object has no metadata");
  const auto rule =
      RuleOf(view, FindString(*object, {"apiVersion"}), FindString(*object, {"kind"}));
  if (!rule.ok()) return rule.status();
  const std::string name = FindString(*metadata, {"name"});
  XEBEC_RETURN_IF_ERROR(CheckName((*rule)->type, name));
  XEBEC_RETURN_IF_ERROR(CheckNamespace(view, **rule, FindString(*metadata, {"namespace"}), name));
  const std::string child = absl::StrCat((*rule)->type.kind, " \"", name, "\"");
  XEBEC_RETURN_IF_ERROR(CheckMetadata(*metadata, child));
  XEBEC_RETURN_IF_ERROR(CheckMemo(in.memo(), child));
  object->erase("status");
  XEBEC_RETURN_IF_ERROR(CheckWatched(*object, **rule, child));
  out->type = (*rule)->type;
  out->object = *std::move(object);
  out->stage = in.stage();
  out->by_version = in.by_version();
  out->memo = in.memo();
  XEBEC_RETURN_IF_ERROR(DecodeEvents(in.on_created(), &out->on_created));
  return DecodeEvents(in.on_changed(), &out->on_changed);
}

absl::Status DecodeDeletion(const wire::Deletion& in, const View& view, ChildToDelete* out) {
  const auto rule = RuleOf(view, in.api_version(), in.kind());
  if (!rule.ok()) return rule.status();
  XEBEC_RETURN_IF_ERROR(CheckName((*rule)->type, in.name()));
  XEBEC_RETURN_IF_ERROR(CheckNamespace(view, **rule, in.namespace_(), in.name()));
  switch (in.propagation()) {
    case wire::PROPAGATION_UNSPECIFIED:
    case wire::PROPAGATION_BACKGROUND:
      out->propagation = Propagation::kBackground;
      break;
    case wire::PROPAGATION_FOREGROUND:
      out->propagation = Propagation::kForeground;
      break;
    case wire::PROPAGATION_ORPHAN:
      out->propagation = Propagation::kOrphan;
      break;
    default:
      return Wrong(absl::StrCat("propagation ", static_cast<int>(in.propagation()), " is unknown"));
  }
  out->type = (*rule)->type;
  out->name = in.name();
  out->ns = in.namespace_();
  out->stage = in.stage();
  out->reason = in.reason();
  return DecodeEvents(in.on_deleted(), &out->on_deleted);
}

}  // namespace xebec::planner::hooks
