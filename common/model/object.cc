// SPDX-License-Identifier: Apache-2.0
#include "common/model/object.h"

#include <algorithm>

namespace xebec {

ObjectBytes MakeObjectBytes(std::string json) {
  return std::make_shared<const std::string>(std::move(json));
}

bool SameBytes(const ObjectBytes& a, const ObjectBytes& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool operator==(const ObjectGroup& a, const ObjectGroup& b) {
  return a.type == b.type && a.live == b.live &&
         std::ranges::equal(a.objects, b.objects, SameBytes);
}

}  // namespace xebec
