// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/message_json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/struct.pb.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

TEST(MessageJson, EqualMessagesHaveEqualTexts) {
  google::protobuf::Struct ascending, descending;
  for (int i = 0; i < 100; ++i) {
    (*ascending.mutable_fields())[absl::StrCat("m", i)].set_number_value(i);
    (*descending.mutable_fields())[absl::StrCat("m", 99 - i)].set_number_value(99 - i);
  }
  EXPECT_EQ(MessageJson(ascending), MessageJson(descending));
}

TEST(MessageJson, IsReadAsTheSameMessage) {
  google::protobuf::Struct message, read;
  (*message.mutable_fields())["text"].set_string_value("\u00e9<\"\n");
  (*message.mutable_fields())["number"].set_number_value(0.5);
  const std::string text = MessageJson(message);
  EXPECT_TRUE(text.ends_with("}\n"));
  ASSERT_TRUE(ReadMessageJson(text, &read).ok());
  EXPECT_EQ(MessageJson(read), text);
  EXPECT_EQ(read.fields().at("text").string_value(), "\u00e9<\"\n");
}

}  // namespace
}  // namespace xebec::cli
