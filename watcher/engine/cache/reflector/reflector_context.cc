// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/reflector_context.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {

void Tell(const ResourceSpec& spec, Note::Level level, std::string what, const std::string& detail,
          Outputs* out) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = absl::StrCat(Describe(spec), detail.empty() ? "" : ": ", detail);
  out->push_back(std::move(note));
}

void TellNotHandedOver(const ResourceSpec& spec, const std::string& why, Outputs* out) {
  Tell(spec, Note::Level::kInfo, "Objects not handed over", absl::StrCat(why, "; they are listed"),
       out);
}

}  // namespace xebec::watcher
