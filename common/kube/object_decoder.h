// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "common/kube/json_cursor.h"
#include "common/kube/watch_event.h"

namespace xebec::kube::internal {

/// Parsers and buffers that are reused for many documents.
struct DecodeBuffers {
  od::parser parser;
  simdjson::dom::parser validator;
  std::string kept;     ///< The projected object while it is assembled.
  std::string compact;  ///< The projected object without white space.
};

/// Returns buffers for a document of `bytes`: the thread's own buffers for small documents,
/// `*large` (created if necessary) for large ones, so that one large object does not keep memory
/// forever.
DecodeBuffers& BuffersFor(size_t bytes, std::unique_ptr<DecodeBuffers>* large);

/// Decodes one Kubernetes object. Reads its identity first, and the rest only if the projection
/// wants the object. Reads each string at most once: the parser's buffer has no room for more.
class ObjectDecoder {
 public:
  /// `type` provides apiVersion and kind if the object lacks them. If `type` is null, they stay
  /// absent.
  ObjectDecoder(const Projection& projection, const ResourceType* type, DecodeBuffers& buffers)
      : projection_(projection), type_(type), buffers_(buffers) {}

  /// Fills `out`. Returns INVALID_ARGUMENT with the name of the field for malformed input, and for
  /// an object without a name.
  absl::Status Decode(od::object object, DecodedObject* out);

 private:
  using Error = simdjson::error_code;

  Error ReadMembers(od::object object, DecodedObject* out);
  Error ReadMember(std::string_view key, od::value value, DecodedObject* out);
  Error KeepMember(std::string_view key, od::value value, DecodedObject* out);
  Error ReadMetadata(od::object metadata, ObjectHeader* header);
  Error ReadMetadataMember(std::string_view key, od::value value, ObjectHeader* header);
  Error ReadMetadataScalar(std::string_view key, od::value value, ObjectHeader* header);
  Error ReadManagers(od::value value);
  Error KeepOwners(od::value value);
  Error ReadAnnotations(od::value value, ObjectHeader* header);
  Error ReadAnnotation(std::string_view key, od::value value, ObjectHeader* header);
  using Managers = absl::InlinedVector<std::string_view, 4>;
  /// Adds the member unless it would be empty.
  void AppendManagers(std::string_view member, const Managers& managers);
  void AppendAllManagers();
  absl::Status Finish(DecodedObject* out);
  /// Adds apiVersion and kind if they are missing, and the closing brace.
  void Close();
  /// Returns OUT_OF_RANGE if the object is valid JSON and exceeds our limits.
  absl::Status Compact(DecodedObject* out);
  /// Keeps only apiVersion, kind, metadata and status of `whole` (status is null unless
  /// `with_status`), and adds `why` as kUnreadableMember.
  void KeepHead(const std::string& whole, std::string_view why, bool with_status);

  const Projection& projection_;
  const ResourceType* type_;
  DecodeBuffers& buffers_;
  const char* where_ = "object";
  bool excluded_ = false;  ///< The rest of the object is skipped.
  /// Set for children: kLastWriterMember. They point into the parser's buffer.
  absl::InlinedVector<std::string_view, 2> last_writers_;
  Managers co_owners_;  ///< Set for children: kCoOwnersMember.
  Managers appliers_;   ///< Set for children: kAppliersMember.
  struct Piece {
    std::string_view key;
    size_t begin, end;
  };
  /// The positions of apiVersion, kind, metadata and status in `kept`.
  absl::InlinedVector<Piece, 4> head_;
  bool has_api_version_ = false;
  bool has_kind_ = false;
};

}  // namespace xebec::kube::internal
