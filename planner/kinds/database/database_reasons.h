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
     "Some replicas are not ready, and their Pods report no reason."},
    {"Ready", "False", kQuotaExceeded, "A resource quota rejects Pods."},
    {"Ready", "False", kPodSecurityViolation, "Pod Security rejects Pods."},
    {"Ready", "False", kPodsNotCreated,
     "The StatefulSet controller has not created all Pods for 15 s for another reason, or for an "
     "unknown one."},
    {"Ready", "False", kDataLost, "See the condition DataLost."},
    {"Ready", "False", kInitRunning, "The init Job has not ended."},
    {"Ready", "False", kInitFailed, "The init Job failed."},
    {"Ready", "False", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"Progressing", "True", "", "A change is in progress. The reason is the reason of Ready."},
    {"Progressing", "False", kComplete, "The change is complete."},
    {"Progressing", "False", kInvalidSpec, "The spec is invalid."},
    {"Initialized", "True", kInitSucceeded, "The init Job succeeded."},
    {"Initialized", "True", kInitSkipped, "spec.init.skip is true."},
    {"Initialized", "False", kWaitingForReplica, "The init Job starts when a replica is ready."},
    {"Initialized", "False", kInitRunning, "The init Job runs."},
    {"Initialized", "False", kQuotaExceeded, "A resource quota rejects the Pod of the init Job."},
    {"Initialized", "False", kPodSecurityViolation,
     "Pod Security rejects the Pod of the init Job."},
    {"Initialized", "False", kPodsNotCreated,
     "The Job controller has not created the Pod of the init Job for 15 s for another reason, or "
     "for an unknown one."},
    {"Initialized", "False", kInitReplacing,
     "Xebec replaces the init Job, because the spec has changed or a user requested it."},
    {"Initialized", "False", kInitFailed,
     "The init Job failed. Correct the spec, or delete the Job to run it again."},
    {"Initialized", "Unknown", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"InitUnknown", "True", kInitUnknown,
     "The result of the init Job is unknown. The message describes what to do."},
    {"CredentialsLost", "True", kCredentialsLost,
     "The Secret has another password than the database."},
    {"DataLost", "True", kDataLost,
     "Replica 0 has another volume claim than the one that was initialized."},
    {"StorageResized", "False", kResizing, "Kubernetes is increasing the volumes."},
    {"StorageResized", "False", kResizeRefused, "The API server rejects a larger size of a claim."},
    {"StorageResized", "False", kShrinkRefused, "spec.storage-size is smaller than a volume."},
    {"StorageResized", "False", kClaimNotLabelled,
     "A claim lacks the label xebec.dev/database, so Xebec does not increase it."},
};

inline constexpr EventDoc kEvents[] = {
    {"Normal", "Created", "Xebec created an object of the Database."},
    {"Normal", "Scaled", "Xebec scaled the StatefulSet."},
    {"Normal", "StorageGrown", "Xebec increased the size of a claim."},
    {"Warning", kInitFailed, "The init Job failed."},
    {"Warning", kInitUnknown, "The init Job is gone and its result is unknown."},
    {"Warning", kCredentialsLost, "Xebec created the Secret again, with a new password."},
    {"Warning", kDataLost, "Replica 0 has another volume claim than before."},
    {"Warning", kShrinkRefused, "spec.storage-size is smaller than a volume."},
};

}  // namespace xebec::planner::database
