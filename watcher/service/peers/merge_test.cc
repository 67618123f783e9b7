// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/merge.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/service/key_paging.h"

namespace xebec::watcher {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kBuckets = 64;

MemberView Holding(const std::string& identity, const std::vector<std::string>& uids) {
  MemberView member{.identity = identity, .address = identity + ":1"};
  member.buckets = BucketSet(kBuckets);
  for (const std::string& uid : uids) {
    if (!member.Holds(uid)) member.buckets.Add(BucketOf(uid, kBuckets));
  }
  return member;
}

v1::KeySummary Key(const std::string& name, const std::string& reason = "") {
  v1::KeySummary key;
  key.mutable_ref()->mutable_type()->set_plural("widgets");
  key.mutable_ref()->set_namespace_("default");
  key.mutable_ref()->set_name(name);
  key.set_uid("uid-" + name);
  key.add_reasons(reason);
  return key;
}

/// The page of a watcher that knows `names`, after `token`.
KeysOf Page(const std::string& watcher, const std::vector<std::string>& names, size_t limit,
            const v1::ListKeysRequest& request) {
  KeysOf part{Holding(watcher, {}), {}};
  const std::string after = ReadPaging(request)->token;
  std::string last;
  for (const std::string& name : names) {
    const std::string place = "widgets/default/" + name + "/";
    if (place <= after) continue;
    if (static_cast<size_t>(part.page.keys_size()) == limit) {
      part.page.set_next_page_token(PageToken(request, last));
      break;
    }
    *part.page.add_keys() = Key(name, watcher);
    last = place;
  }
  return part;
}

using Names = std::vector<std::string>;

/// All pages of `limit` keys, as "a b | c".
std::string AllPages(const std::map<std::string, Names>& watchers, size_t limit) {
  v1::ListKeysRequest request;
  Names pages;
  do {
    std::vector<KeysOf> parts;
    for (const auto& [watcher, names] : watchers)
      parts.push_back(Page(watcher, names, limit, request));
    const v1::ListKeysResponse merged = MergeKeys(request, limit, parts);
    Names names;
    for (const v1::KeySummary& key : merged.keys()) names.push_back(key.ref().name());
    pages.push_back(absl::StrJoin(names, " "));
    request.set_page_token(merged.next_page_token());
  } while (!request.page_token().empty() && pages.size() < 9);
  return absl::StrJoin(pages, " | ");
}

TEST(MergeKeys, EveryKeyAppearsOnceAndInOrderHoweverThePagesFall) {
  EXPECT_EQ(AllPages({{"x", {"a", "d", "e"}}, {"y", {"b", "c", "f"}}}, 2), "a b | c d | e f");
  EXPECT_EQ(AllPages({{"x", {"a", "b", "c"}}, {"y", {"d"}}, {"z", {}}}, 2), "a b | c d");
  EXPECT_EQ(AllPages({{"x", {"a", "b", "c"}}, {"y", {"a", "b", "c"}}}, 2), "a b | c");
  EXPECT_EQ(AllPages({{"x", {"z"}}, {"y", {"a", "b", "c", "d"}}}, 3), "a b c | d z");
  EXPECT_EQ(AllPages({{"x", {}}, {"y", {}}}, 3), "");
}

TEST(MergeKeys, APageThatEndsEarlyDoesNotHideItsNextKeys) {
  const v1::ListKeysRequest request;
  std::vector<KeysOf> parts = {Page("x", {"a", "b"}, 1, request), Page("y", {"c"}, 9, request)};
  const v1::ListKeysResponse merged = MergeKeys(request, 9, parts);
  ASSERT_EQ(merged.keys_size(), 1) << "b comes before c";
  EXPECT_EQ(merged.next_page_token(), PageToken(request, "widgets/default/a/"));
}

TEST(MergeKeys, TheHolderOfABucketSaysWhatItsKeysDo) {
  const v1::ListKeysRequest request;
  for (const bool first : {true, false}) {
    KeysOf holder = Page("holder", {"a"}, 9, request);
    holder.member = Holding("holder", {"uid-a"});
    KeysOf other = Page("other", {"a"}, 9, request);
    const v1::ListKeysResponse merged =
        MergeKeys(request, 9, {first ? holder : other, first ? other : holder});
    ASSERT_EQ(merged.keys_size(), 1);
    EXPECT_EQ(merged.keys(0).reasons(0), "holder");
  }
}

TEST(MergeKeys, EveryControllerOfAParentAppears) {
  const v1::ListKeysRequest request;
  std::vector<KeysOf> parts = {Page("x", {"a"}, 9, request), Page("y", {"a"}, 9, request)};
  parts[1].page.mutable_keys(0)->set_controller("second");
  const v1::ListKeysResponse merged = MergeKeys(request, 9, parts);
  ASSERT_EQ(merged.keys_size(), 2);
  EXPECT_EQ(merged.keys(1).controller(), "second");
  EXPECT_EQ(MergeKeys(request, 1, parts).next_page_token(),
            PageToken(request, "widgets/default/a/"));
}

ParentAnswer Found(MemberView member, const std::string& resource = "widgets") {
  return {std::move(member), absl::OkStatus(), resource, "uid-a"};
}

ParentAnswer Without(MemberView member, absl::Status status = absl::NotFoundError("no widget a")) {
  return {std::move(member), std::move(status), "", ""};
}

TEST(ChooseAnswer, TakesTheOneThatExists) {
  EXPECT_EQ(*ChooseAnswer("w a", {Without(Holding("x", {})), Found(Holding("y", {}))}), 1u);
  EXPECT_EQ(*ChooseAnswer("w a", {Found(Holding("x", {})), Without(Holding("y", {}))}), 0u);
}

TEST(ChooseAnswer, PrefersTheHolder) {
  const MemberView holder = Holding("holder", {"uid-a"});
  EXPECT_EQ(*ChooseAnswer("w a", {Found(Holding("x", {})), Found(holder)}), 1u);
  EXPECT_EQ(*ChooseAnswer("w a", {Found(holder), Found(Holding("x", {}))}), 0u);
}

TEST(ChooseAnswer, IsNotFoundOnlyIfAllSaySo) {
  const MemberView x = Holding("x", {});
  const MemberView y = Holding("y", {"uid-b"});
  const absl::Status late = absl::DeadlineExceededError("late");
  EXPECT_TRUE(absl::IsNotFound(ChooseAnswer("w a", {Without(x), Without(y)}).status()));

  const absl::Status status = ChooseAnswer("w a", {Without(x), Without(y, late)}).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(ToStd(status.message()), "no w a is known so far; it may belong to y (y:1: late)");

  EXPECT_TRUE(absl::IsNotFound(ChooseAnswer("w a", {Without(y), Without(x, late)}).status()))
      << "x has no bucket";
  const absl::Status lists = absl::FailedPreconditionError("is still listing");
  EXPECT_TRUE(absl::IsUnavailable(ChooseAnswer("w a", {Without(y), Without(x, lists)}).status()))
      << "x says that it has got one";
  EXPECT_EQ(*ChooseAnswer("w a", {Without(x), Without(y, late), Found(x)}), 2u);
}

TEST(ChooseAnswer, DoesNotGuessTheKind) {
  const MemberView x = Holding("x", {});
  const absl::Status two = ChooseAnswer("w a", {Found(x, "w.one"), Found(x, "w.two")}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(two));
  EXPECT_THAT(std::string(ToStd(two.message())),
              HasSubstr("w a exists in 2 kinds; name one of them: w.one or w.two"));
  const absl::Status told = absl::InvalidArgumentError("w a exists in 2 kinds");
  EXPECT_EQ(ChooseAnswer("w a", {Found(x), Without(x, told)}).status(), told);
}

}  // namespace
}  // namespace xebec::watcher
