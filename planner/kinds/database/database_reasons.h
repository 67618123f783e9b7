// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/kinds/reasons.h"

/// The conditions and events of a Database.
namespace xebec::planner::database {

inline constexpr std::string_view kDatabaseReady = "DatabaseReady";
inline constexpr std::string_view kStopped = "Stopped";
inline constexpr std::string_view kReplicasNotReady = "ReplicasNotReady";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kInitSucceeded = "InitSucceeded";
inline constexpr std::string_view kInitSkipped = "InitSkipped";
inline constexpr std::string_view kInitRunning = "InitRunning";
inline constexpr std::string_view kInitReplacing = "InitReplacing";
inline constexpr std::string_view kInitFailed = "InitFailed";
inline constexpr std::string_view kInitUnknown = "InitUnknown";
inline constexpr std::string_view kWaitingForReplica = "WaitingForReplica";
inline constexpr std::string_view kCredentialsLost = "CredentialsLost";
inline constexpr std::string_view kDataLost = "DataLost";
inline constexpr std::string_view kResizing = "Resizing";
inline constexpr std::string_view kResizeRefused = "ResizeRefused";
inline constexpr std::string_view kShrinkRefused = "ShrinkRefused";
inline constexpr std::string_view kClaimNotLabelled = "ClaimNotLabelled";

inline constexpr ConditionDoc kConditions[] = {
    {"Ready", "True", kDatabaseReady,
     "All replicas are ready and the initial configuration is done."},
    {"Ready", "True", kStopped, "spec.replicas is 0 and no replica runs."},
    {"Ready", "False", kReplicasNotReady,
     "Some replicas are not ready and their Pods give no reason."},
    {"Ready", "False", kPodsNotCreated,
     "The StatefulSet controller has not created all Pods for 15 s; a quota or Pod Security may "
     "refuse them."},
    {"Ready", "False", kDataLost, "See the condition DataLost."},
    {"Ready", "False", kInitRunning, "The init Job has not ended."},
    {"Ready", "False", kInitFailed, "The init Job failed."},
    {"Ready", "False", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"Progressing", "True", "", "The reason of Ready while a change is in progress."},
    {"Progressing", "False", kComplete, "Nothing is left to do."},
    {"Initialized", "True", kInitSucceeded, "The init Job succeeded."},
    {"Initialized", "True", kInitSkipped, "spec.init.skip is true."},
    {"Initialized", "False", kWaitingForReplica, "The init Job starts when a replica is ready."},
    {"Initialized", "False", kInitRunning, "The init Job runs."},
    {"Initialized", "False", kInitReplacing,
     "The init Job is replaced, because the spec has changed or because a user asked for it."},
    {"Initialized", "False", kInitFailed,
     "The init Job failed. Correct the spec, or delete the Job to run it again."},
    {"Initialized", "Unknown", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"InitUnknown", "True", kInitUnknown, "Shown while the result of the init Job is unknown."},
    {"CredentialsLost", "True", kCredentialsLost,
     "Shown while the Secret has a password that the data were not created with."},
    {"DataLost", "True", kDataLost,
     "Shown while the volume claim of replica 0 is not the one that was initialized."},
    {"StorageResized", "False", kResizing, "The volumes are growing."},
    {"StorageResized", "False", kResizeRefused, "The API server refuses to grow a claim."},
    {"StorageResized", "False", kShrinkRefused, "spec.storage-size is smaller than a volume."},
    {"StorageResized", "False", kClaimNotLabelled,
     "A claim lacks the label of the Database and is not grown."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "An object of the Database was created."},
    {"Normal", "Scaled", "The StatefulSet was scaled."},
    {"Normal", "StorageGrown", "A claim asks for more storage."},
    {"Warning", kInitFailed, "The init Job failed."},
    {"Warning", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"Warning", kCredentialsLost, "The Secret was created again, with a new password."},
    {"Warning", kDataLost, "The volume claim of replica 0 was replaced."},
    {"Warning", kShrinkRefused, "spec.storage-size is smaller than a volume."},
};

}  // namespace xebec::planner::database
