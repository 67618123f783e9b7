// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/model/object.h"

namespace xebec::kube {

/// The controller reference of an object (the owner with controller: true).
struct ControllerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;  ///< Empty when the object has no controller.

  bool operator==(const ControllerReference&) const = default;
};

/// What the watcher needs of an object without looking into its bytes.
struct ObjectHeader {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  bool deleting = false;  ///< It has a deletionTimestamp.
  ControllerReference controller;
  std::string parent_label;  ///< Value of Projection::parent_label; empty when absent.
  std::string paused;        ///< Value of the annotation xebec.dev/paused.
  std::string reconcile_at;  ///< Value of the annotation xebec.dev/reconcile-at.

  bool operator==(const ObjectHeader&) const = default;
};

/// A decoded object: header and the projected bytes.
struct DecodedObject {
  ObjectHeader header;
  ObjectBytes json;  ///< managedFields cut (of children kLastWriterMember stays), only projected
                     ///< fields; null for what
                     ///< Projection::controller_kinds leaves out. Of an object beyond our limits
                     ///< (nesting, numbers, size): apiVersion, kind, metadata, status (null
                     ///< where that is beyond them too) and, as kUnreadableMember, why.
};

/// What is kept of the objects of one watched resource.
struct Projection {
  /// Dotted paths ("spec", "status.readyReplicas") kept beside apiVersion, kind and metadata; empty
  /// = everything.
  std::vector<std::string> fields;
  /// Label whose value goes to ObjectHeader::parent_label; empty = none.
  std::string parent_label;
  /// Where set: bytes are kept only of objects whose controller reference has one of these
  /// "apiVersion/Kind" pairs, e.g. "example.com/v1alpha1/Iris" (any version of the group matches),
  /// or that carry parent_label. Others are decoded to their header alone, so that unrelated
  /// objects cost next to nothing.
  std::vector<std::string> controller_kinds;
};

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  DecodedObject object;             ///< For a bookmark: only resource_version.
  bool initial_events_end = false;  ///< Bookmark that ends a streaming list.
  int code = 0;                     ///< kError: Status.code, e.g. 410.
  std::string reason;               ///< kError: Status.reason, e.g. "Expired".
  std::string message;              ///< kError: Status.message.
};

/// Bytes that must be readable after a line's end (simdjson's padding).
inline constexpr size_t kLinePadding = 64;

/// Decodes one watch line. `line` needs `kLinePadding` readable bytes after its end.
/// INVALID_ARGUMENT for anything that is not a watch event with an object that has a name
/// (bookmarks: a resourceVersion); never crashes. A line is limited to 16 MiB. One object must not
/// blind its kind: what is JSON, but nested deeper than 64 levels, with numbers that fit no 64 bits
/// or with more than 3 MiB to keep, is decoded to its head (DecodedObject::json).
absl::StatusOr<WatchEvent> DecodeWatchLine(std::string_view line, const Projection& projection);

/// One page of a list.
struct ListPage {
  std::vector<DecodedObject> objects;
  std::string resource_version;
  std::string continue_token;  ///< Empty on the last page.
};

/// Decodes the answer to a list request. apiVersion and kind, which items of a list lack, are
/// filled in from `type`.
absl::StatusOr<ListPage> DecodeListPage(std::string_view body, const ResourceType& type,
                                        const Projection& projection);

/// Decodes a single object, e.g. the answer to a GET. Same limits.
absl::StatusOr<DecodedObject> DecodeObject(std::string_view body, const Projection& projection);

/// Splits a byte stream into lines. Bounded: RESOURCE_EXHAUSTED when a line grows beyond `max_line`
/// bytes.
class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line = 16 * 1024 * 1024);

  /// Adds a chunk and calls `sink(std::string_view line)` for every whole, non-empty line, which is
  /// valid (with kLinePadding readable bytes after it) during the call alone.
  template <typename Sink>
  absl::Status Feed(std::string_view chunk, Sink&& sink);

  /// Bytes of an unfinished last line; a stream that ends with some was cut.
  size_t pending() const { return size_; }

 private:
  absl::Status Append(std::string_view chunk);
  absl::Status CheckLength() const;
  void Consume(size_t bytes);

  size_t max_line_;
  size_t size_ = 0;     // bytes in use at the beginning of buffer_
  std::string buffer_;  // always at least kLinePadding larger than size_
};

template <typename Sink>
absl::Status LineSplitter::Feed(std::string_view chunk, Sink&& sink) {
  size_t searched = size_;  // a long line is not searched anew with each chunk
  if (absl::Status s = Append(chunk); !s.ok()) return s;
  size_t begin = 0;
  const std::string_view all(buffer_.data(), size_);
  for (size_t end; (end = all.find('\n', searched)) != std::string_view::npos; begin = searched) {
    if (end > begin) sink(all.substr(begin, end - begin));
    searched = end + 1;
  }
  Consume(begin);
  return CheckLength();
}

}  // namespace xebec::kube
