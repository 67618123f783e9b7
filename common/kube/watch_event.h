// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/kube/bucket_filter.h"
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

/// The fields of an object that the watcher uses without parsing its JSON.
struct ObjectHeader {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  bool deleting = false;  ///< True if the object has a deletionTimestamp.
  ControllerReference controller;
  /// False if the controller is of none of Projection::controller_kinds.
  bool controlled = true;
  std::string parent_label;  ///< Value of Projection::parent_label; empty when absent.
  std::string paused;        ///< Value of the annotation xebec.dev/paused.
  std::string reconcile_at;  ///< Value of the annotation xebec.dev/reconcile-at.

  bool operator==(const ObjectHeader&) const = default;
};

/// A decoded object: its header and its projected JSON.
struct DecodedObject {
  ObjectHeader header;
  /// The projected fields without managedFields, plus what ManagedKinds says of children. Null if
  /// Projection::controller_kinds or Projection::keep excludes the object. If the object exceeds a
  /// limit (nesting, numbers, size), it contains only apiVersion, kind, metadata, status (null if
  /// status exceeds a limit too) and the reason as kUnreadableMember.
  ObjectBytes json;
};

/// The parts of the objects of one watched resource that are kept.
struct Projection {
  /// Dotted paths ("spec", "status.readyReplicas") to keep in addition to apiVersion, kind and
  /// metadata. Empty means the whole object.
  std::vector<std::string> fields;
  /// The label whose value becomes ObjectHeader::parent_label; empty means none.
  std::string parent_label;
  /// If not empty, the JSON is kept only for objects that have parent_label or whose controller
  /// reference matches one of these "apiVersion/Kind" pairs, for example
  /// "example.com/v1alpha1/Iris" (any version of the group matches). Of other objects, the header
  /// has only names, uid, resource_version, controller and parent_label: they must cost little.
  std::vector<std::string> controller_kinds;
  /// Used if controller_kinds is empty, so that the JSON of all objects is kept: pairs of which
  /// ManagedKinds tells.
  std::vector<std::string> managed_kinds;
  /// The JSON is kept only for objects that this filter keeps too. A watcher that holds some
  /// buckets sees others' objects like unrelated ones. They have such a header, too.
  BucketFilter keep;
};

/// Returns the "apiVersion/Kind" pairs of the controllers of children. The JSON of an object with
/// such a controller, or with parent_label, also has kLastWriterMember, kCoOwnersMember and
/// kAppliersMember. Empty means that no object has them.
inline const std::vector<std::string>& ManagedKinds(const Projection& projection) {
  const bool all = projection.controller_kinds.empty();
  return all ? projection.managed_kinds : projection.controller_kinds;
}

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  DecodedObject object;  ///< Contains only resource_version for a bookmark.
  int code = 0;          ///< kError: Status.code, e.g. 410.
  std::string reason;    ///< kError: Status.reason, e.g. "Expired".
  std::string message;   ///< kError: Status.message.
};

/// The number of readable bytes that simdjson needs after the end of a line.
inline constexpr size_t kLinePadding = 64;

/// Decodes one watch line. `line` must be followed by `kLinePadding` readable bytes. Returns
/// INVALID_ARGUMENT for a line of more than 16 MiB, and for anything that is not a watch event with
/// a named object (for bookmarks: with a resourceVersion). A single object must not stop the watch
/// of its resource: valid JSON with more than 64 levels, with numbers of more than 64 bits or with
/// more than 3 MiB to keep is reduced as DecodedObject::json describes.
absl::StatusOr<WatchEvent> DecodeWatchLine(std::string_view line, const Projection& projection);

/// One page of a list.
struct ListPage {
  std::vector<DecodedObject> objects;  ///< Those that the projection keeps.
  std::string resource_version;
  std::string continue_token;  ///< Empty on the last page.
  /// The number of objects on the pages that follow; nullopt if the server does not tell, for
  /// example with a label selector.
  std::optional<uint64_t> remaining;
  /// True if the server says that it has selected the objects as the request demanded (shardInfo).
  bool sharded = false;
  uint64_t foreign = 0;  ///< The number of objects on the page that the projection does not keep.
};

/// Decodes the response to a list request. Takes apiVersion and kind from `type`, because list
/// items lack them.
absl::StatusOr<ListPage> DecodeListPage(std::string_view body, const ResourceType& type,
                                        const Projection& projection);

/// Decodes a single object, for example the response to a GET, with the same limits.
absl::StatusOr<DecodedObject> DecodeObject(std::string_view body, const Projection& projection);

/// Splits a byte stream into lines. Returns RESOURCE_EXHAUSTED if a line exceeds `max_line` bytes.
class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line = 16 * 1024 * 1024);

  /// Adds a chunk and calls `sink(std::string_view line)` for every complete, non-empty line. The
  /// line, with kLinePadding readable bytes after it, is valid only during the call.
  template <typename Sink>
  absl::Status Feed(std::string_view chunk, Sink&& sink);

  /// The number of bytes of an incomplete last line. If it is not 0 at the end of a stream, the
  /// stream was cut.
  size_t pending() const { return size_; }

 private:
  absl::Status Append(std::string_view chunk);
  absl::Status CheckLength() const;
  void Consume(size_t bytes);

  size_t max_line_;
  size_t size_ = 0;     // the used bytes at the start of buffer_
  std::string buffer_;  // always at least kLinePadding bytes longer than size_
};

template <typename Sink>
absl::Status LineSplitter::Feed(std::string_view chunk, Sink&& sink) {
  size_t searched = size_;  // does not search a long line again with each chunk
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
