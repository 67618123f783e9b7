// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan.h"
#include "common/base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Parents(const std::string& text) {
  const auto read = ReadObservations(text, "f.yaml");
  EXPECT_TRUE(read.ok()) << read.status();
  std::vector<std::string> parents;
  if (!read.ok()) return parents;
  for (const Observation& each : *read) parents.push_back(*each.parent);
  return parents;
}

std::string Wrong(const std::string& text) {
  const auto read = ReadObservations(text, "f.yaml");
  return read.ok() ? "nothing" : std::string(ToStd(read.status().message()));
}

TEST(ReadObservations, TakesManifestsOfSeveralDocumentsAndLists) {
  EXPECT_THAT(
      Parents("apiVersion: a/v1\nkind: A\n---\n---\n"
              "apiVersion: v1\nkind: List\nitems: [{apiVersion: b/v1, kind: B}]\n"),
      ElementsAre(R"({"apiVersion":"a/v1","kind":"A"})", R"({"apiVersion":"b/v1","kind":"B"})"));
}

TEST(ReadObservations, TakesWhatAWatcherShows) {
  EXPECT_THAT(
      Parents(R"({"observation": {"parent": {"object": {"kind": "A", "spec": {"n": 3}}}}})"),
      ElementsAre(R"({"kind":"A","spec":{"n":3}})"));
}

TEST(ReadObservations, AQuotedNumberStaysText) {
  EXPECT_THAT(Parents("apiVersion: \"1\"\nkind: A\n"),
              ElementsAre(R"({"apiVersion":"1","kind":"A"})"));
}

TEST(ReadObservations, TakesJsonAsProgramsWriteIt) {
  EXPECT_THAT(Parents(R"({"apiVersion":"v1","kind":"A","note":"\ud83d\ude00"})"),
              ElementsAre("{\"apiVersion\":\"v1\",\"kind\":\"A\",\"note\":\"\U0001F600\"}"));
}

TEST(ReadObservations, WordsOfTheCoreSchemaAreTakenAsItsValues) {
  EXPECT_THAT(
      Parents("apiVersion: v1\nkind: A\nb: [True, TRUE, false, ~, !!str 5, '5', 5]\n"),
      ElementsAre(R"({"apiVersion":"v1","b":[true,true,false,null,"5","5",5],"kind":"A"})"));
}

TEST(ReadObservations, RejectsYamlThatManifestsMustNotContain) {
  EXPECT_THAT(Wrong("kind: A\nkind: B\n"), HasSubstr("f.yaml:2:1: duplicate key kind"));
  EXPECT_THAT(Wrong("a: &a {b: 1}\nc: {<<: *a}\n"), HasSubstr("f.yaml:2:5: merge keys"));
  EXPECT_THAT(Wrong("? [a]\n: b\n"), HasSubstr("keys must be strings"));
  EXPECT_THAT(Wrong("a: " + std::string(50, '[') + std::string(50, ']')),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(Wrong("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                    "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                    "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"),
              HasSubstr("more than 100000 nodes"));
}

TEST(ReadObservations, ErrorsNameTheirPosition) {
  EXPECT_THAT(Wrong("a: [1\n"), HasSubstr("f.yaml:2:1: "));
  EXPECT_THAT(Wrong("kind: A\napiVersion: v1\n---\nkind: B\n"),
              HasSubstr("f.yaml, document 2: must be a manifest"));
  EXPECT_THAT(Wrong("[]"), HasSubstr("f.yaml, document 1: must be a manifest"));
  EXPECT_THAT(Wrong(R"({"observation": {"parents": {}}})"), HasSubstr("parents"));
  EXPECT_THAT(Wrong(R"({"observation": {}})"), HasSubstr("parent"));
  EXPECT_EQ(Wrong(""), "f.yaml: no documents");
}

}  // namespace
}  // namespace xebec::cli
