// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/transfer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/codec/parts.h"

namespace xebec::watcher {
namespace {

absl::StatusOr<BucketSet> DecodeBuckets(const v1::TransferObjectsRequest& request) {
  if (request.bucket_count() == 0 || request.bucket_count() > kMaxBuckets) {
    return absl::InvalidArgumentError(
        absl::StrCat("bucket_count must be between 1 and ", kMaxBuckets));
  }
  std::optional<BucketSet> buckets = BucketSet::Parse(request.buckets(), request.bucket_count());
  if (buckets && !buckets->empty()) return *std::move(buckets);
  return absl::InvalidArgumentError("buckets must be ranges such as \"0-3,7\"");
}

}  // namespace

v1::TransferObjectsRequest EncodeTransfer(const StartList& request) {
  const kube::Projection& projection = request.projection;
  v1::TransferObjectsRequest out;
  codec::EncodeType(request.type, out.mutable_type());
  out.set_namespace_(request.ns);
  out.set_label_selector(request.label_selector);
  out.mutable_fields()->Assign(projection.fields.begin(), projection.fields.end());
  out.set_parent_label(projection.parent_label);
  out.mutable_controller_kinds()->Assign(projection.controller_kinds.begin(),
                                         projection.controller_kinds.end());
  out.mutable_managed_kinds()->Assign(projection.managed_kinds.begin(),
                                      projection.managed_kinds.end());
  out.set_parents(projection.keep.parents);
  out.set_children(projection.keep.children);
  out.set_labels(projection.keep.labels);
  out.set_bucket_count(projection.keep.buckets->count());
  out.set_buckets(projection.keep.buckets->ToText());
  out.set_page_token(request.continue_token);
  return out;
}

absl::StatusOr<TransferRequest> DecodeTransfer(const v1::TransferObjectsRequest& request) {
  TransferRequest out;
  const absl::Status type =
      codec::DecodeType(request.type(), codec::TypeNeeds::kEverything, &out.spec.type);
  if (!type.ok()) return absl::Status(type.code(), absl::StrCat("type: ", type.message()));
  XEBEC_ASSIGN_OR_RETURN(BucketSet buckets, DecodeBuckets(request));
  out.spec.ns = request.namespace_();
  out.spec.label_selector = request.label_selector();
  kube::Projection& projection = out.spec.projection;
  projection.fields.assign(request.fields().begin(), request.fields().end());
  projection.parent_label = request.parent_label();
  projection.controller_kinds.assign(request.controller_kinds().begin(),
                                     request.controller_kinds().end());
  projection.managed_kinds.assign(request.managed_kinds().begin(), request.managed_kinds().end());
  projection.keep = {.buckets = std::make_shared<const BucketSet>(std::move(buckets)),
                     .parents = request.parents(),
                     .children = request.children(),
                     .labels = request.labels()};
  out.token = request.page_token();
  return out;
}

v1::TransferObjectsResponse EncodeTransferPage(const TransferPage& page) {
  v1::TransferObjectsResponse out;
  for (const PackedJson& each : page.objects) out.add_objects(*each.Unpack());
  out.set_version(page.version);
  out.set_next_page_token(page.token);
  for (const ObjectKey& each : page.left_out) {
    v1::ParentLabel* label = out.add_left_out();
    label->set_namespace_(each.ns);
    label->set_value(each.name);
  }
  return out;
}

Input DecodeTransferPage(const StartList& request, const v1::TransferObjectsResponse& page) {
  kube::Projection whole = request.projection;
  whole.fields.clear();
  ListArrived arrived{request.stream, {{}, page.version(), page.next_page_token()}, {}};
  for (const std::string& each : page.objects()) {
    absl::StatusOr<kube::DecodedObject> object = kube::DecodeObject(each, whole);
    if (!object.ok()) {
      return ListFailed{request.stream, {.message = std::string(object.status().message())}};
    }
    if (object->json != nullptr) arrived.page.objects.push_back(*std::move(object));
  }
  for (const v1::ParentLabel& each : page.left_out()) {
    arrived.left_out.push_back({each.namespace_(), each.value()});
  }
  return arrived;
}

}  // namespace xebec::watcher
