// SPDX-License-Identifier: Apache-2.0
#include "common/http/credential_cache.h"

#include <gtest/gtest.h>

namespace xebec::http::internal {
namespace {

using Verdict = CredentialCache::Verdict;
using Question = CredentialCache::Question;

kube::Credentials Token(const std::string& token) {
  kube::Credentials credentials;
  credentials.bearer_token = token;
  return credentials;
}

constexpr absl::Duration kStart = absl::Seconds(1000);

CredentialCache Filled() {
  CredentialCache cache;
  cache.Want(kStart);
  cache.Arrived(Token("a"), false, kStart);
  return cache;
}

void ExpectAnswer(CredentialCache::Answer answer, Verdict verdict, Question question) {
  EXPECT_EQ(answer.verdict, verdict);
  EXPECT_EQ(answer.question, question);
}

TEST(CredentialCache, AsksOnceForTheFirstRequestAndLetsAllWait) {
  CredentialCache cache;
  ExpectAnswer(cache.Want(kStart), Verdict::kWait, Question::kGet);
  ExpectAnswer(cache.Want(kStart), Verdict::kWait, Question::kNone);
  EXPECT_TRUE(cache.Arrived(Token("a"), false, kStart));
  ExpectAnswer(cache.Want(kStart), Verdict::kGo, Question::kNone);
  EXPECT_EQ(cache.current()->authorization, "Bearer a");
}

TEST(CredentialCache, RefreshesInTheBackgroundAndLaterWaits) {
  CredentialCache cache = Filled();
  ExpectAnswer(cache.Want(kStart + absl::Seconds(29)), Verdict::kGo, Question::kNone);
  ExpectAnswer(cache.Want(kStart + absl::Seconds(31)), Verdict::kGo, Question::kGet);
  ExpectAnswer(cache.Want(kStart + absl::Seconds(31)), Verdict::kGo, Question::kNone);
  CredentialCache idle = Filled();
  ExpectAnswer(idle.Want(kStart + absl::Seconds(61)), Verdict::kWait, Question::kGet);
}

TEST(CredentialCache, KeepsTheSamePointerForTheSameCredentials) {
  CredentialCache cache = Filled();
  const auto* before = cache.current().get();
  cache.Arrived(Token("a"), false, kStart);
  EXPECT_EQ(cache.current().get(), before);
  cache.Arrived(Token("b"), false, kStart);
  EXPECT_NE(cache.current().get(), before);
}

TEST(CredentialCache, FailsWithoutAnyAndAsksAgainAfterAPause) {
  CredentialCache cache;
  cache.Want(kStart);
  EXPECT_TRUE(cache.Arrived(absl::UnauthenticatedError("log in"), false, kStart));
  ExpectAnswer(cache.Want(kStart), Verdict::kFailed, Question::kNone);
  EXPECT_EQ(cache.error().message(), "log in");
  ExpectAnswer(cache.Want(kStart + absl::Seconds(1)), Verdict::kWait, Question::kGet);
}

TEST(CredentialCache, GoesOnWithOldOnesWhenTheSourceFails) {
  CredentialCache cache = Filled();
  const absl::Duration later = kStart + absl::Seconds(70);
  ExpectAnswer(cache.Want(later), Verdict::kWait, Question::kGet);
  EXPECT_TRUE(cache.Arrived(absl::UnavailableError("x"), false, later));
  ExpectAnswer(cache.Want(later), Verdict::kGo, Question::kNone);
  ExpectAnswer(cache.Want(later + absl::Seconds(2)), Verdict::kGo, Question::kGet);
}

TEST(CredentialCache, A401InvalidatesOnceForAllRequestsOfItsRound) {
  CredentialCache cache = Filled();
  const uint64_t round = cache.round();
  ExpectAnswer(cache.Refused(round), Verdict::kWait, Question::kInvalidateAndGet);
  ExpectAnswer(cache.Refused(round), Verdict::kWait, Question::kNone);
  ExpectAnswer(cache.Want(kStart), Verdict::kWait, Question::kNone);
  cache.Arrived(Token("b"), true, kStart);
  ExpectAnswer(cache.Refused(round), Verdict::kGo, Question::kNone);
  ExpectAnswer(cache.Refused(cache.round()), Verdict::kWait, Question::kInvalidateAndGet);
}

TEST(CredentialCache, AnAnswerAskedForBeforeARefusalDoesNotEndTheWait) {
  CredentialCache cache = Filled();
  ExpectAnswer(cache.Want(kStart + absl::Seconds(31)), Verdict::kGo, Question::kGet);
  ExpectAnswer(cache.Refused(cache.round()), Verdict::kWait, Question::kInvalidateAndGet);
  EXPECT_FALSE(cache.Arrived(Token("a"), false, kStart));
  ExpectAnswer(cache.Want(kStart), Verdict::kWait, Question::kNone);
  EXPECT_TRUE(cache.Arrived(Token("b"), true, kStart));
  ExpectAnswer(cache.Want(kStart), Verdict::kGo, Question::kNone);
}

TEST(Prepare, MakesBasicAuthorizationWithoutAToken) {
  kube::Credentials credentials;
  credentials.basic_user = "Aladdin";
  credentials.basic_password = "open sesame";
  EXPECT_EQ(Prepare(credentials)->authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(Prepare({})->authorization, "");
}

}  // namespace
}  // namespace xebec::http::internal
