// SPDX-License-Identifier: Apache-2.0
#include "common/kube/field_filter.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace xebec::kube::internal {
namespace {

using Error = simdjson::error_code;
using Paths = absl::InlinedVector<std::string_view, 8>;

struct Selection {
  bool whole = false;
  Paths below;  ///< Returns the rest of the paths that continue below the key.
};

template <typename Range>
Selection Select(std::string_view key, const Range& paths) {
  Selection result;
  for (std::string_view path : paths) {
    if (path.substr(0, key.size()) != key) continue;
    if (path.size() == key.size()) result.whole = true;
    if (path.size() > key.size() && path[key.size()] == '.') {
      result.below.push_back(path.substr(key.size() + 1));
    }
  }
  return result;
}

Error AppendSelected(std::string_view key, od::value value, const Selection& selection,
                     size_t depth, std::string* out);

Error AppendMembers(od::object object, const Paths& paths, size_t depth, std::string* out) {
  for (auto member : object) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    const std::string_view key = RawKey(field);
    if (auto error = AppendSelected(key, field.value(), Select(key, paths), depth, out)) {
      return error;
    }
  }
  return simdjson::SUCCESS;
}

Error AppendSelected(std::string_view key, od::value value, const Selection& selection,
                     size_t depth, std::string* out) {
  if (!selection.whole && selection.below.empty()) return simdjson::SUCCESS;
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (selection.whole || type != od::json_type::object || depth >= kMaxDepth) {
    return AppendWhole(key, value, out);
  }
  AppendMember(key, "{", out);
  od::object object;
  if (auto error = value.get_object().get(object)) return error;
  if (auto error = AppendMembers(object, selection.below, depth + 1, out)) return error;
  out->push_back('}');
  return simdjson::SUCCESS;
}

}  // namespace

Error AppendWhole(std::string_view key, od::value value, std::string* out) {
  std::string_view raw;
  if (auto error = ReadRaw(value, &raw)) return error;
  AppendMember(key, raw, out);
  return simdjson::SUCCESS;
}

Error AppendFiltered(std::string_view key, od::value value, const std::vector<std::string>& fields,
                     std::string* out) {
  return AppendSelected(key, value, Select(key, fields), 0, out);
}

}  // namespace xebec::kube::internal
