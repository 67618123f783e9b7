// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/key_listing.h"

#include <sstream>

#include "cli/commands/message_json.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

v1::ListKeysResponse Page(const std::vector<std::string>& names) {
  v1::ListKeysResponse page;
  for (const std::string& name : names) {
    page.add_keys()->mutable_ref()->set_name(name);
    page.mutable_keys()->rbegin()->add_reasons("a\nb");
  }
  return page;
}

std::string Listed(bool json, const std::vector<v1::ListKeysResponse>& pages) {
  std::ostringstream out;
  KeyListing listing(json, &out);
  for (const v1::ListKeysResponse& page : pages) listing.Add(page, absl::UnixEpoch());
  listing.End();
  return out.str();
}

std::string NamesIn(const std::string& json) {
  v1::ListKeysResponse read;
  EXPECT_TRUE(ReadMessageJson(json, &read).ok()) << json;
  std::string names;
  for (const v1::KeySummary& key : read.keys()) {
    names += key.ref().name() + " ";
    EXPECT_EQ(key.reasons(0), "a\nb");
  }
  return names;
}

TEST(KeyListing, JsonIsOneDocumentHoweverManyPagesThereAre) {
  EXPECT_EQ(NamesIn(Listed(true, {Page({"a", "b"}), Page({}), Page({"c"})})), "a b c ");
  EXPECT_EQ(NamesIn(Listed(true, {Page({"a"})})), "a ");
  EXPECT_EQ(Listed(true, {Page({})}), "{\n \"keys\": []\n}\n");
}

TEST(KeyListing, JsonIsIndented) {
  v1::ListKeysResponse page;
  page.add_keys()->set_uid("u");
  EXPECT_EQ(Listed(true, {page}), "{\n \"keys\": [\n  {\n   \"uid\": \"u\"\n  }\n ]\n}\n");
}

TEST(KeyListing, ATableHasOneHeading) {
  const std::string text = Listed(false, {Page({"a"}), Page({"b"})});
  EXPECT_EQ(text.find("NAMESPACE"), text.rfind("NAMESPACE"));
  EXPECT_EQ(Listed(false, {Page({})}), "No parents found.\n");
}

}  // namespace
}  // namespace xebec::cli
