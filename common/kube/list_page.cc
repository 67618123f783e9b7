// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kube/object_decoder.h"
#include "common/kube/watch_event.h"

namespace xebec::kube {
namespace {

using internal::JsonError;
using internal::RawKey;
using simdjson::error_code;
namespace od = simdjson::ondemand;

/// The largest response to a list. A page of 500 objects of typical size is smaller.
constexpr size_t kMaxListBytes = 32 * 1024 * 1024;

class ListDecoder {
 public:
  ListDecoder(const ResourceType& type, const Projection& projection,
              internal::DecodeBuffers& buffers)
      : type_(type), projection_(projection), buffers_(buffers) {}

  absl::StatusOr<ListPage> Decode(od::object root) {
    for (auto member : root) {
      od::field field;
      if (auto error = std::move(member).get(field)) return JsonError("list", error);
      absl::Status status;
      const std::string_view key = RawKey(field);
      if (key == "metadata") status = ReadMetadata(field.value());
      if (key == "items") status = ReadItems(field.value());
      if (!status.ok()) return status;
    }
    if (!has_items_) return absl::InvalidArgumentError("list: items is missing");
    if (page_.resource_version.empty()) {
      return absl::InvalidArgumentError("list: metadata.resourceVersion is missing");
    }
    return std::move(page_);
  }

 private:
  absl::Status ReadMetadata(od::value value) {
    od::object metadata;
    if (auto error = value.get_object().get(metadata)) return JsonError("list metadata", error);
    for (auto member : metadata) {
      od::field field;
      if (auto error = std::move(member).get(field)) return JsonError("list metadata", error);
      const std::string_view key = RawKey(field);
      error_code error = simdjson::SUCCESS;
      if (key == "resourceVersion") {
        error = internal::ReadString(field.value(), &page_.resource_version);
      }
      if (key == "continue") error = internal::ReadString(field.value(), &page_.continue_token);
      if (key == "shardInfo") {
        bool is_null = false;
        error = internal::IsNull(field.value(), &is_null);
        page_.sharded = !is_null;
      }
      uint64_t remaining = 0;
      if (key == "remainingItemCount" && !field.value().get_uint64().get(remaining)) {
        page_.remaining = remaining;
      }
      if (error) return JsonError("list metadata", error);
    }
    return absl::OkStatus();
  }

  absl::Status ReadItems(od::value value) {
    has_items_ = true;
    bool is_null = false;
    if (auto error = internal::IsNull(value, &is_null)) return JsonError("list items", error);
    if (is_null) return absl::OkStatus();
    od::array items;
    if (auto error = value.get_array().get(items)) return JsonError("list items", error);
    for (auto element : items) {
      if (absl::Status status = ReadItem(std::move(element)); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadItem(simdjson::simdjson_result<od::value> element) {
    od::object object;
    auto error = std::move(element).get_object().get(object);
    absl::Status status = error ? JsonError("object", error)
                                : internal::ObjectDecoder(projection_, &type_, buffers_)
                                      .Decode(object, &page_.objects.emplace_back());
    if (!status.ok()) {
      const uint64_t number = page_.objects.size() + page_.foreign;
      return absl::Status(status.code(),
                          absl::StrCat("list item ", number, ": ", status.message()));
    }
    if (page_.objects.back().json == nullptr) {
      page_.objects.pop_back();
      ++page_.foreign;
    }
    return absl::OkStatus();
  }

  const ResourceType& type_;
  const Projection& projection_;
  internal::DecodeBuffers& buffers_;
  ListPage page_;
  bool has_items_ = false;
};

}  // namespace

absl::StatusOr<ListPage> DecodeListPage(std::string_view body, const ResourceType& type,
                                        const Projection& projection) {
  if (body.size() > kMaxListBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("list has ", body.size(), " bytes; the limit is ", kMaxListBytes));
  }
  std::unique_ptr<internal::DecodeBuffers> large;
  internal::DecodeBuffers& buffers = internal::BuffersFor(body.size(), &large);
  const simdjson::padded_string padded(body);
  od::document document;
  od::object root;
  auto error = buffers.parser.iterate(padded).get(document);
  if (!error) error = document.get_object().get(root);
  if (error) return JsonError("list", error);
  absl::StatusOr<ListPage> page = ListDecoder(type, projection, buffers).Decode(root);
  if (!page.ok()) return page;
  if (absl::Status end = internal::CheckEnd("list", document); !end.ok()) return end;
  return page;
}

}  // namespace xebec::kube
