// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The names of annotations, labels, members and conditions that more than one service uses.
namespace xebec {

/// Annotation of the parent. The value "true" stops all writes except the condition Paused; the
/// deletion of the parent continues.
inline constexpr std::string_view kPausedAnnotation = "xebec.dev/paused";
/// Annotation of the parent. Each new value starts a reconcile.
inline constexpr std::string_view kReconcileAtAnnotation = "xebec.dev/reconcile-at";
/// Label of every object that belongs to a Database, including its PersistentVolumeClaims. The
/// value is LabelValue(name of the Database).
inline constexpr std::string_view kDatabaseLabel = "xebec.dev/database";
/// Annotation of children: the digest of the desired object, "v1:<hex>". A child whose digest
/// differs from the desired one is applied again.
inline constexpr std::string_view kDigestAnnotation = "xebec.dev/desired-digest";
/// Member of an object that the watcher could not read completely. The value is the reason. Such an
/// object contains only apiVersion, kind, metadata and status; status is null if it was unreadable.
inline constexpr std::string_view kUnreadableMember = "xebec.dev/unreadable";
/// Member that the watcher adds to children: the field manager of the last write, or a list of them
/// if several wrote in the same second. Writes of the status do not count.
inline constexpr std::string_view kLastWriterMember = "xebec.dev/last-writer";
/// Member that the watcher adds to children: the list of the field managers that have an entry of
/// operation Apply and one of operation Update, and so own fields twice; absent if none has.
inline constexpr std::string_view kCoOwnersMember = "xebec.dev/co-owners";
/// Member that the watcher adds to children: the list of the field managers that have an entry of
/// operation Apply; absent if none has. All other managers own their fields by updates.
inline constexpr std::string_view kAppliersMember = "xebec.dev/appliers";
/// The condition of a parent whose deletions exceed a limit, and the reason of outcomes that report
/// a deferred deletion.
inline constexpr std::string_view kDeletionDeferred = "DeletionDeferred";
/// The condition that the applier sets.
inline constexpr std::string_view kAppliedCondition = "Applied";

}  // namespace xebec
