// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/pod_reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/kinds/reasons.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Child Pod(std::string_view status, const std::string& name = "p") {
  Child pod;
  pod.type = PodType();
  pod.name = name;
  pod.object["metadata"]["name"] = name;
  pod.object["status"] = *ParseJson(status);
  return pod;
}

std::optional<PodReason> Reason(const Child& pod, std::string_view shown = "") {
  return FindPodReason({&pod}, shown);
}

Child Waiting(const std::string& reason, const std::string& name = "p") {
  return Pod(
      R"({"phase": "Pending", "containerStatuses": [{"name": "c", "image": "i", "ready": false,
      "state": {"waiting": {"reason": ")" +
          reason + R"(", "message": "try 1"}}}]})",
      name);
}

TEST(PodReason, IsNoneWhileThePodStartsOrRuns) {
  EXPECT_FALSE(Reason(Pod(R"({"phase": "Pending"})")).has_value());
  EXPECT_FALSE(Reason(Waiting("ContainerCreating")).has_value());
  EXPECT_FALSE(Reason(Waiting("PodInitializing")).has_value());
  EXPECT_FALSE(Reason(Pod(R"({"containerStatuses": [{"name": "c", "ready": true, "restartCount": 3,
      "lastState": {"terminated": {"exitCode": 1}}, "state": {"running": {}}}]})"))
                   .has_value());
  EXPECT_FALSE(Reason(Pod(R"({"containerStatuses": [null, 5], "conditions": "x"})")).has_value());
}

TEST(PodReason, IsThatOfTheContainerAndNamesItsPlace) {
  const auto reason = Reason(Waiting("ImagePullBackOff", "web-0"));
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->reason, "ImagePullBackOff");
  EXPECT_EQ(reason->message, "container \"c\" of Pod \"web-0\" cannot pull the image \"i\"");
}

TEST(PodReason, OfAFailingPullDoesNotAlternate) {
  EXPECT_EQ(Reason(Waiting("ErrImagePull"))->reason, "ErrImagePull");
  EXPECT_EQ(Reason(Waiting("ErrImagePull"), kImagePullBackOff)->reason, "ImagePullBackOff");
  EXPECT_EQ(Reason(Waiting("ErrImagePull"))->message, Reason(Waiting("ImagePullBackOff"))->message);
}

TEST(PodReason, OfACrashLoopStaysTheSameBetweenTwoCrashes) {
  const char* states[] = {
      R"({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 20s"}})",
      R"({"running": {}})", R"({"terminated": {"exitCode": 1}})"};
  for (const std::string state : states) {
    const auto reason = Reason(Pod(
        R"({"phase": "Running", "containerStatuses": [{"name": "c", "ready": false, "restartCount": 2,
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}, "state": )" +
        state + "}]}"));
    ASSERT_TRUE(reason.has_value()) << state;
    EXPECT_EQ(reason->reason, "CrashLoopBackOff");
    EXPECT_EQ(reason->message,
              "container \"c\" of Pod \"p\" ends repeatedly (Error); see kubectl "
              "logs --previous p");
  }
}

TEST(PodReason, OfTheSchedulerLeavesOutWhatChanges) {
  const auto reason = Reason(Pod(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled",
      "status": "False", "reason": "Unschedulable",
      "message": "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes"}]})"));
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->reason, "Unschedulable");
  EXPECT_THAT(reason->message, HasSubstr("3 Insufficient cpu"));
  EXPECT_THAT(reason->message, Not(HasSubstr("preemption")));
}

TEST(PodReason, OfInitContainersCountsToo) {
  const auto reason = Reason(Pod(R"({"initContainerStatuses": [{"name": "first",
      "state": {"waiting": {"reason": "CreateContainerConfigError",
                            "message": "couldn't find key password in Secret"}}}]})"));
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->reason, "CreateContainerConfigError");
  EXPECT_THAT(reason->message, HasSubstr("couldn't find key password"));
}

TEST(PodReason, IsTheMostSevereOfAllPodsAndThenTheFirst) {
  const Child crash = Waiting("CrashLoopBackOff", "a"), pull = Waiting("ErrImagePull", "b"),
              other = Waiting("ErrImagePull", "c");
  EXPECT_THAT(FindPodReason({&crash, &pull, &other}, "")->message, HasSubstr("\"b\""));
}

TEST(PodReason, OfARefusalIsReadFromTheMessageOfTheApiServer) {
  EXPECT_EQ(RefusalReason("pods \"x\" is forbidden: exceeded quota: q", "FailedCreate"),
            "QuotaExceeded");
  EXPECT_EQ(RefusalReason("violates PodSecurity \"restricted:latest\"", "FailedCreate"),
            "PodSecurityViolation");
  EXPECT_EQ(RefusalReason("webhook says no", "FailedCreate"), "FailedCreate");
}

}  // namespace
}  // namespace xebec::planner
