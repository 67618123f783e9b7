// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/kube/watch_event.h"
#include "common/model/kind_description.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/cache/store/object_store.h"

namespace xebec::watcher::testing {

/// The parent kind of the tests: spec.parts children with spec.value.
ResourceType WidgetType();
/// Its child kind: "<widget>-<n>".
ResourceType PartType();
/// What a part makes, one each, and what outlives it: a widget's by its labels, as a claim is its
/// StatefulSet's.
ResourceType ScrapType();
inline constexpr char kWidgetFinalizer[] = "example.com/widget";
inline constexpr char kWidgetLabel[] = "example.com/widget";         ///< Its name.
inline constexpr char kWidgetUidLabel[] = "example.com/widget-uid";  ///< Proves whose it is.
/// The controller of widgets.
PlannerDescription WidgetDescription(const std::string& revision = "r1");
/// The same with a finalizer and with scraps, which go with their widget.
PlannerDescription LeavingWidgetDescription();

/// What widgets of some Operators have besides parts.
ResourceType GadgetType();
/// Operators, which declare controllers of widgets.
ResourceType OperatorType();
/// The finalizer of the widgets of an Operator.
std::string FinalizerOfOperator(const std::string& name);
/// Operators and nothing else.
PlannerDescription OperatorDescription();

/// A small API server that behaves: resourceVersions, uids, generations, preconditions, a log that
/// watches read and that can be compacted, and a garbage collector that works when it is told to.
class FakeCluster {
 public:
  using Objects = std::map<ObjectKey, Json>;

  /// Creates or replaces the spec of a widget by a user's hand. False: it is being deleted.
  bool SetWidget(const std::string& name, int parts, int value, const std::string& ns = "default");
  /// Creates or replaces a widget by a user's hand that has one part, of that name.
  bool NamePart(const std::string& widget, const std::string& part);
  /// Deletes by a user's hand; finalizers keep the object, marked. Scraps are slow to go.
  void Delete(const ResourceType& type, const std::string& name);
  /// Creates or replaces the spec of an Operator by a user's hand. False: it is being deleted.
  bool SetOperator(const std::string& name, const Json& spec);
  /// Its status is that of its generation, with one parent.
  void SetOperatorShown(const std::string& name);
  /// Deletes an Operator by a user's hand.
  void DeleteOperator(const std::string& name);
  /// Begins the deletion of an object that has finalizers.
  void MarkDeleted(const ResourceType& type, const ObjectKey& key);
  void Remove(const ResourceType& type, const ObjectKey& key) { Erase(type, key); }
  /// Gives an object this finalizer alone, or none.
  void Finalize(const ResourceType& type, const ObjectKey& key, const std::string& finalizer,
                bool present);
  /// An Operator of widgets with the children parts.
  static Json OperatorOfWidgets();
  /// Creates or changes a part by somebody else's hand.
  void ForeignPart(const std::string& name, int value);
  /// Changes the value of a part, whoever's it is.
  void SpoilPart(const std::string& name, int value);
  /// A scrap with a widget's label that is somebody else's.
  void ForeignScrap(const std::string& widget, const std::string& name);
  /// A scrap of a widget that nobody has made a part for.
  void AddScrap(const std::string& widget);
  /// The garbage collector deletes one part whose owner is gone, or a part makes its scrap, or a
  /// scrap that was deleted goes; false when there is nothing to do.
  bool CollectGarbage();

  /// Server-side apply: `absent` creates only, else `uid` must be the live one.
  Outcome Apply(const ResourceType& type, const Json& object, bool absent, const std::string& uid);
  Outcome Delete(const ResourceType& type, const ObjectKey& key, const std::string& uid);
  /// Adds or removes a finalizer of a widget or an Operator, by its uid and version.
  Outcome SetFinalizer(const ResourceType& type, const ObjectKey& key, const Precondition& need,
                       const std::string& finalizer, bool present);
  /// Status write with the resourceVersion of the widget or Operator.
  Outcome WriteStatus(const ResourceType& type, const ObjectKey& key, const Json& status,
                      const std::string& version);

  const Objects& All(const ResourceType& type) const { return objects_.at(type.plural); }
  const Json* Find(const ResourceType& type, const ObjectKey& key) const;
  /// Those of a namespace; empty: of all.
  std::vector<kube::DecodedObject> List(const ResourceType& type, const std::string& ns = "") const;
  std::string version() const { return std::to_string(version_); }

  /// Events after `version`, at most `limit`; nullopt when they are compacted away.
  std::optional<std::vector<kube::WatchEvent>> EventsAfter(const ResourceType& type,
                                                           int64_t version, size_t limit) const;
  /// Forgets the log up to now.
  void Compact() { compacted_ = version_; }
  /// True when an object of that uid was deleted, ever.
  bool WasDeleted(const std::string& uid) const { return deleted_.contains(uid); }
  /// True when an Operator of that uid went after its finalizer was removed.
  bool WasReleased(const std::string& uid) const { return released_.contains(uid); }
  /// Counts writes that changed something, of parts and of the status of widgets.
  uint64_t writes() const { return writes_; }

  static kube::DecodedObject Decode(const Json& object);

  bool makes_scraps = false;
  std::vector<std::string> wrongs;  ///< Writes in an order that loses something.

 private:
  struct Logged {
    int64_t version;
    kube::WatchEvent event;
  };

  bool SetSpec(const ObjectKey& key, const Json& spec);
  void Store(const ResourceType& type, const ObjectKey& key, Json object, bool created);
  void Erase(const ResourceType& type, const ObjectKey& key);
  void Mark(const ResourceType& type, const ObjectKey& key);
  bool RunScraps();
  bool CollectOrphan(const ResourceType& type);
  void CheckRelease(const ResourceType& type, const ObjectKey& key, const std::string& finalizer);
  void CheckRelease(const std::string& operator_name);
  bool HasPart(const std::string& widget_uid) const;
  /// Begins otherwise each time, as uids do: hashes of texts that differ in their last letter alone
  /// are near each other.
  std::string NewUid() {
    ++last_uid_;
    return std::to_string(static_cast<uint32_t>(last_uid_ * 2654435761u)) + "-" +
           std::to_string(last_uid_);
  }
  static Outcome Done(OutcomeCode code, const Json& object);
  static Outcome Applied(OutcomeCode code, const Json& object);
  static Outcome Rejected(OutcomeCode code, const std::string& message);

  int64_t version_ = 100;
  int64_t compacted_ = 0;
  int64_t last_uid_ = 0;
  uint64_t writes_ = 0;
  std::map<std::string, Objects> objects_ = {
      {"widgets", {}}, {"parts", {}}, {"gadgets", {}}, {"scraps", {}}, {"operators", {}}};
  std::map<std::string, std::vector<Logged>> log_;
  std::map<std::string, bool> deleted_;
  std::set<std::string> released_;
};

/// Leaves of the object what a decoder leaves that keeps the objects of some buckets.
inline void Filter(const kube::BucketFilter& keep, kube::DecodedObject* object) {
  const kube::ObjectHeader& header = object->header;
  if (!keep.Keeps(header.uid, header.controller.uid, header.parent_label)) object->json = nullptr;
}

}  // namespace xebec::watcher::testing
