// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "common/codec/time.h"
#include "common/model/report.h"
#include "common/model/well_known.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

// The text of an object without what the watcher has added.
std::string TextOf(const Json& object) {
  constexpr std::string_view kAdded[] = {kLastWriterMember, kCoOwnersMember, kAppliersMember};
  const auto is_in = [&](std::string_view member) { return object.contains(member); };
  if (std::none_of(std::begin(kAdded), std::end(kAdded), is_in)) return DumpJson(object);
  Json clean = object;
  for (const std::string_view member : kAdded) clean.erase(std::string(member));
  return DumpJson(clean);
}

// One group for each rule, also if it has no objects.
template <typename Add>
void AddGroups(const std::vector<ChildRule>& rules, const std::vector<Child>& objects, Add add) {
  for (const ChildRule& rule : rules) {
    wire::ObjectGroup* group = add();
    group->set_api_version(ApiVersion(rule.type));
    group->set_kind(rule.type.kind);
    std::vector<const Child*> members;
    for (const Child& object : objects) {
      if (object.type == rule.type) members.push_back(&object);
    }
    std::sort(members.begin(), members.end(), [](const Child* a, const Child* b) {
      return std::tie(a->ns, a->name) < std::tie(b->ns, b->name);
    });
    for (const Child* member : members) group->add_objects(TextOf(member->object));
  }
}

void EncodeOutcome(const Outcome& in, bool clock, wire::Outcome* out) {
  out->set_api_version(ApiVersion(in.target.type));
  out->set_kind(in.target.type.kind);
  out->set_namespace_(in.target.ns);
  out->set_name(in.target.name);
  const std::vector<std::string> words = absl::StrSplit(in.operation, absl::MaxSplits(' ', 1));
  out->set_operation(words[0]);
  out->set_code(std::string(Name(in.code)));
  out->set_reason(ToValidUtf8(in.reason));
  out->set_message(ToValidUtf8(in.message));
  out->set_memo(ToValidUtf8(in.memo));
  out->set_repeats(in.repeats);
  if (clock && in.at != absl::InfinitePast()) codec::EncodeTime(in.at, out->mutable_at());
}

// Equal messages result in equal bytes.
std::string Serialize(const wire::SyncRequest& request) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  request.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// A success without a memo tells nothing that the children do not show. Without it, requests repeat
// and their answers are known.
bool Tells(const Outcome& outcome) {
  const bool of_child =
      outcome.operation.rfind("apply ", 0) == 0 || outcome.operation.rfind("delete ", 0) == 0;
  return of_child && (outcome.certainty != Certainty::kDone || !outcome.memo.empty());
}

}  // namespace

std::string EncodeRequest(const View& view, const Declaration& declaration) {
  wire::SyncRequest request;
  request.set_phase(view.finalizing ? wire::PHASE_FINALIZE : wire::PHASE_SYNC);
  const bool clock = declaration.clock && view.now != absl::InfinitePast();
  if (clock) codec::EncodeTime(view.now, request.mutable_now());
  request.set_parent(TextOf(view.parent));
  AddGroups(view.kind.children, view.children, [&] { return request.add_children(); });
  AddGroups(view.kind.related, view.related, [&] { return request.add_related(); });
  for (const Outcome& outcome : view.last_outcomes) {
    if (Tells(outcome)) EncodeOutcome(outcome, clock, request.add_last_outcomes());
  }
  request.set_configuration(declaration.configuration);
  request.set_operator_(declaration.name);
  request.add_capabilities(wire::CAPABILITY_SYNC_STREAM);
  return Serialize(request);
}

}  // namespace xebec::planner::hooks
