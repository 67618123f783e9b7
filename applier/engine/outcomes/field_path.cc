// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/field_path.h"

#include <algorithm>
#include <string>

namespace xebec::applier {
namespace {

/// Takes the next step off `path`: a member name, or what stands in brackets.
std::string TakeStep(std::string_view& path) {
  if (path.front() == '.') path.remove_prefix(1);
  size_t end;
  std::string step;
  if (!path.empty() && path.front() == '[') {
    end = std::min(path.find(']'), path.size() - 1);
    step = std::string(path.substr(1, end - 1));
    path.remove_prefix(end + 1);
    return step;
  }
  end = std::min(path.find_first_of(".["), path.size());
  step = std::string(path.substr(0, end));
  path.remove_prefix(end);
  return step;
}

}  // namespace

bool IsPlanned(const Json& desired, std::string_view field, bool required) {
  if (field.empty() || field.front() == '<') return false;
  const Json* at = &desired;
  int depth = 0;
  while (!field.empty()) {
    if (!at->is_object()) return true;  // inside a list or scalar that we set
    const std::string step = TakeStep(field);
    const auto member = at->find(step);
    if (member == at->end()) return required && depth > 0;
    at = &*member;
    ++depth;
  }
  return true;
}

}  // namespace xebec::applier
