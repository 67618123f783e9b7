// SPDX-License-Identifier: Apache-2.0
#include "common/model/observation.h"

namespace xebec {

bool operator==(const Observation& a, const Observation& b) {
  return a.envelope == b.envelope && a.phase == b.phase && a.now == b.now &&
         SameBytes(a.parent, b.parent) && a.children == b.children && a.related == b.related &&
         a.last_outcomes == b.last_outcomes && a.freshness == b.freshness &&
         a.capabilities == b.capabilities && a.without_status == b.without_status &&
         a.release == b.release && SameBytes(a.declaration, b.declaration) &&
         a.declared_resources == b.declared_resources && a.hook_answers == b.hook_answers &&
         a.declaration_facts == b.declaration_facts && a.events == b.events;
}

}  // namespace xebec
