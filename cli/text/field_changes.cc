// SPDX-License-Identifier: Apache-2.0
#include "cli/text/field_changes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/field_rules.h"
#include "common/model/fields.h"
#include "common/model/well_known.h"

namespace xebec::cli {
namespace {

/// Puts a value at the place of the field in an otherwise empty object, because the place decides
/// how Kubernetes compares values.
using Wrap = std::function<Json(const Json&)>;

constexpr std::array kSkipped = {"apiVersion",
                                 "kind",
                                 "metadata.name",
                                 "metadata.namespace",
                                 "metadata.uid",
                                 "metadata.resourceVersion",
                                 "metadata.ownerReferences"};

/// The member that identifies the elements of a list; empty if they are matched by position.
std::string MergeKey(std::string_view list, const Json& elements) {
  if (elements.empty() || IsAtomicList(list)) return "";
  for (const char* key : {"name", "containerPort", "mountPath", "port", "type", "ip", "key"}) {
    if (std::all_of(elements.begin(), elements.end(), [key](const Json& element) {
          return element.is_object() && element.contains(key);
        })) {
      return key;
    }
  }
  return "";
}

class Comparison {
 public:
  void Compare(const Json* live, const Json& desired, const std::string& path,
               std::string_view name, const Wrap& wrap) {
    if (std::count(kSkipped.begin(), kSkipped.end(), path) != 0 || name == kDigestAnnotation) {
      return;
    }
    if (desired.is_object() && !desired.empty()) {
      CompareMembers(live, desired, path, wrap);
      return;
    }
    const std::string key = desired.is_array() ? MergeKey(name, desired) : "";
    if (!key.empty()) {
      CompareElements(live, desired, path, key, wrap);
      return;
    }
    const Json old_value = live == nullptr ? Json() : *live;
    if (!Covers(wrap(old_value), wrap(desired))) changes.push_back({path, old_value, desired});
  }

  std::vector<FieldChange> changes;

 private:
  void CompareMembers(const Json* live, const Json& desired, const std::string& path,
                      const Wrap& wrap) {
    for (const auto& [name, value] : desired.items()) {
      const bool present = live != nullptr && live->is_object() && live->contains(name);
      const std::string key = name;
      Compare(present ? &live->at(name) : nullptr, value,
              absl::StrCat(path, path.empty() ? "" : ".", name), name,
              [&wrap, key](const Json& member) {
                return wrap(Json{{key, member}});
              });
    }
  }

  void CompareElements(const Json* live, const Json& desired, const std::string& path,
                       const std::string& key, const Wrap& wrap) {
    for (const Json& element : desired) {
      const Json& id = element.at(key);
      Compare(ElementOf(live, key, id), element,
              absl::StrCat(path, "[", id.is_string() ? id.get<std::string>() : DumpJson(id), "]"),
              "", [&wrap](const Json& value) { return wrap(Json::array({value})); });
    }
  }

  static const Json* ElementOf(const Json* list, const std::string& key, const Json& id) {
    if (list == nullptr || !list->is_array()) return nullptr;
    const auto found = std::find_if(list->begin(), list->end(), [&](const Json& element) {
      return element.is_object() && element.contains(key) && element.at(key) == id;
    });
    return found == list->end() ? nullptr : &*found;
  }
};

}  // namespace

std::vector<FieldChange> ChangedFields(const Json& live, const Json& desired) {
  Comparison comparison;
  comparison.Compare(&live, desired, "", "", [](const Json& value) { return value; });
  return std::move(comparison.changes);
}

}  // namespace xebec::cli
