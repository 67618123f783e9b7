// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/key_listing.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "cli/commands/message_json.h"

namespace xebec::cli {

void KeyListing::Add(const v1::ListKeysResponse& page, absl::Time now) {
  if (json_) {
    AddJson(page);
  } else {
    out_ << table_.Add(page, now);
  }
  out_ << std::flush;
}

void KeyListing::AddJson(const v1::ListKeysResponse& page) {
  for (const v1::KeySummary& key : page.keys()) {
    std::string json = MessageJson(key);
    absl::StripTrailingAsciiWhitespace(&json);
    out_ << (begun_ ? "," : "{\n \"keys\": [") << "\n  "
         << absl::StrReplaceAll(json, {{"\n", "\n  "}});
    begun_ = true;
  }
}

void KeyListing::End() {
  if (json_) {
    out_ << (begun_ ? "\n ]\n}\n" : "{\n \"keys\": []\n}\n");
  } else {
    out_ << table_.End();
  }
}

}  // namespace xebec::cli
