// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/watches/watch_set.h"

/// What the caches report to the engine: the parents that an event concerns, and the reason.
/// `reason` is a text for users, for example "spec changed" or "pods team-a/web changed".
namespace xebec::watcher {

/// A parent is there that was not, or one of the same name with another uid.
struct ParentAdded {
  ControllerId controller = 0;
  ObjectKey name;
  Uid uid;
  bool initial = false;  ///< It comes from the first list of its resource or of its bucket.
  /// Its status is not of its generation: it was created or changed while nobody reconciled it.
  bool pending = false;

  bool operator==(const ParentAdded&) const = default;
};
/// A parent is gone, or its bucket is not held any more.
struct ParentRemoved {
  ControllerId controller = 0;
  ObjectKey name;

  bool operator==(const ParentRemoved&) const = default;
};
/// A user changed a parent.
struct ParentChanged {
  ControllerId controller = 0;
  ObjectKey name;
  Uid uid;
  std::string reason;

  bool operator==(const ParentChanged&) const = default;
};
/// A parent has another version; nothing that a user changes differs.
struct ParentWritten {
  ControllerId controller = 0;
  ObjectKey name;
  Uid uid;
  std::string version;  ///< Empty if there may have been more than one write.

  bool operator==(const ParentWritten&) const = default;
};
/// One version of an object.
struct ObjectVersion {
  WatchId watch = 0;
  ObjectKey object;
  std::string version;

  bool operator==(const ObjectVersion&) const = default;
};
/// A child of the parents that its owner references or its parent labels name, before or after.
struct ChildChanged {
  ControllerId controller = 0;
  ObjectVersion child;  ///< No version if the child is gone or may have been written repeatedly.
  std::vector<Uid> owners;
  std::vector<std::string> labels;  ///< Values of the parent label.
  bool exists = false;              ///< After the change.
  std::string reason;

  bool operator==(const ChildChanged&) const = default;
};
/// Something that all parents of a namespace are shown.
struct RelatedChanged {
  ControllerId controller = 0;
  std::string ns;  ///< Empty: the parents of all namespaces.
  std::string reason;
  bool background = false;  ///< Not urgent: no object changed.

  bool operator==(const RelatedChanged&) const = default;
};
/// An object came, changed or went; also one that is not stored.
struct NameChanged {
  WatchId watch = 0;
  ObjectKey name;
  bool gone = false;  ///< The name is free.
  Uid owner = {};     ///< Of the controller of the object that is gone; empty if it had none.

  bool operator==(const NameChanged&) const = default;
};
/// A complete list was taken over: names of objects that are not stored may have become free.
struct Relisted {
  WatchId watch = 0;

  bool operator==(const Relisted&) const = default;
};
/// Ends the changes of one input: the watermark of the watch may have moved.
struct Progressed {
  WatchId watch = 0;

  bool operator==(const Progressed&) const = default;
};
/// A controller was registered, changed or dropped: its keys have to be made those of its parents.
struct ControllerMatched {
  ControllerId controller = 0;

  bool operator==(const ControllerMatched&) const = default;
};
/// A controller is declared otherwise than before, or its parents are served otherwise: every key
/// of it has to be planned again.
struct DeclarationMoved {
  ControllerId controller = 0;

  bool operator==(const DeclarationMoved&) const = default;
};
/// A parent that declares a controller came, changed or went.
struct DeclarationsChanged {
  bool operator==(const DeclarationsChanged&) const = default;
};
/// A watched resource is not served, or its watches ended early: the API server may serve other
/// versions of it than before, or another scope.
struct ResourceInDoubt {
  ResourceType type;

  bool operator==(const ResourceInDoubt&) const = default;
};
/// The CRD of a controller's parents has gained or lost a subresource.
struct SubresourcesChanged {
  ControllerId controller = 0;

  bool operator==(const SubresourcesChanged&) const = default;
};
/// CacheSet::Ready may have become true for keys of the controller: the caches hold more buckets,
/// or what was written later. Or CacheSet::Kept does not wait for the controller any more.
struct BucketsReady {
  ControllerId controller = 0;

  bool operator==(const BucketsReady&) const = default;
};
/// Another planner revision is the current one: every key has to be planned again.
struct RevisionMoved {
  std::string revision;

  bool operator==(const RevisionMoved&) const = default;
};

using Changed = std::variant<ParentAdded, ParentRemoved, ParentChanged, ParentWritten, ChildChanged,
                             RelatedChanged, NameChanged, Relisted, Progressed, ControllerMatched,
                             DeclarationMoved, DeclarationsChanged, SubresourcesChanged,
                             ResourceInDoubt, BucketsReady, RevisionMoved>;

}  // namespace xebec::watcher
