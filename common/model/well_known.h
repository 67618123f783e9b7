// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Annotations, labels and condition types that users and services share.
namespace xebec {

/// On the parent: "true" stops all writes but the condition Paused; deletion goes on.
inline constexpr std::string_view kPausedAnnotation = "xebec.dev/paused";
/// On the parent: any new value plans now.
inline constexpr std::string_view kReconcileAtAnnotation = "xebec.dev/reconcile-at";
/// Label of everything that belongs to a Database, claims included: LabelValue(name of the
/// Database).
inline constexpr std::string_view kDatabaseLabel = "xebec.dev/database";
/// On children: digest of the desired object, "v1:<hex>" (design §3.5).
inline constexpr std::string_view kDigestAnnotation = "xebec.dev/desired-digest";
/// Member of an object that the watcher could not read whole: why. Beside it stand apiVersion,
/// kind, metadata and status alone; status is null where it could not be read either.
inline constexpr std::string_view kUnreadableMember = "xebec.dev/unreadable";
/// Member that the watcher adds to children: the field manager that wrote last, status aside.
inline constexpr std::string_view kLastWriterMember = "xebec.dev/last-writer";
/// Condition, and reason of a deletion that a limit holds back (design §3.8).
inline constexpr std::string_view kDeletionHeld = "DeletionHeld";
/// Condition that the applier fills.
inline constexpr std::string_view kAppliedCondition = "Applied";

}  // namespace xebec
