// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/turn.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::watcher {

void Turn::AddNote(Note::Level level, std::string what, std::string detail) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  note.ref = context.key.ref();
  note.reconcile_id = envelope_.reconcile_id;
  effects.out.push_back(std::move(note));
}

Effects Turn::Close() {
  for (const ObjectRef& vanished : findings.vanished) {
    effects.requeues.push_back(Describe(vanished) + " vanished unseen");
  }
  for (const GateFindings::Missing& missing : findings.missing) {
    AddNote(Note::Level::kWarning, "Own write not seen",
            absl::StrCat(Describe(missing.object), " at resourceVersion ", missing.version,
                         "; relisting"));
    effects.doubted.push_back(missing.watch);
  }
  return std::move(effects);
}

}  // namespace xebec::watcher
