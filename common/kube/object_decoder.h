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

/// Parsers and buffers that are worth keeping from one document to the next.
struct DecodeBuffers {
  od::parser parser;
  simdjson::dom::parser validator;
  std::string kept;     ///< The projected object as it is spliced together.
  std::string compact;  ///< The same without white space.
};

/// Buffers for a document of `bytes`: this thread's own for small ones, `*large` (made when needed)
/// for large ones, so that one big object does not keep memory for ever.
DecodeBuffers& BuffersFor(size_t bytes, std::unique_ptr<DecodeBuffers>* large);

/// Decodes one Kubernetes object in a single pass over `object`.
class ObjectDecoder {
 public:
  /// `type` fills in apiVersion and kind where the object lacks them; null leaves them out.
  ObjectDecoder(const Projection& projection, const ResourceType* type, DecodeBuffers& buffers)
      : projection_(projection), type_(type), buffers_(buffers) {}

  /// Fills `out`. INVALID_ARGUMENT that names the field for anything malformed and for an object
  /// without a name.
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
  Error ReadOwners(od::value value, ObjectHeader* header);
  Error ReadLabels(od::value value, ObjectHeader* header);
  Error ReadAnnotations(od::value value, ObjectHeader* header);
  Error ReadAnnotation(std::string_view key, od::value value, ObjectHeader* header);
  bool Wants(const ObjectHeader& header) const;
  absl::Status Finish(DecodedObject* out);
  /// Adds apiVersion and kind where they are missing, and the last brace.
  void Close();
  /// OUT_OF_RANGE when the object is beyond our limits, though it is JSON.
  absl::Status Compact(DecodedObject* out);
  /// Keeps apiVersion, kind, metadata and status (null unless `with_status`) of `whole`, and why.
  void KeepHead(const std::string& whole, std::string_view why, bool with_status);

  const Projection& projection_;
  const ResourceType* type_;
  DecodeBuffers& buffers_;
  const char* where_ = "object";
  std::string_view last_writer_;  ///< Of children; in the parser's buffer.
  struct Piece {
    std::string_view key;
    size_t begin, end;
  };
  /// Where apiVersion, kind, metadata and status stand in `kept`.
  absl::InlinedVector<Piece, 4> head_;
  bool has_api_version_ = false;
  bool has_kind_ = false;
};

}  // namespace xebec::kube::internal
