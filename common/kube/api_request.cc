// SPDX-License-Identifier: Apache-2.0
#include "common/kube/api_request.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace xebec::kube {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

std::string PercentEncode(const std::string& value) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsUnreserved(c)) {
      out.push_back(c);
    } else {
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return out;
}

/// "." and ".." would be path segments with a special meaning.
std::string PathSegment(const std::string& value) {
  if (value == ".") return "%2E";
  if (value == "..") return "%2E%2E";
  return PercentEncode(value);
}

}  // namespace

std::string DiscoveryPath(const ResourceType& type) {
  if (type.group.empty()) return absl::StrCat("/api/", PathSegment(type.version));
  return absl::StrCat("/apis/", PathSegment(type.group), "/", PathSegment(type.version));
}

std::string CollectionPath(const ResourceType& type, const std::string& ns) {
  std::string path = DiscoveryPath(type);
  if (!ns.empty() && !type.cluster_scoped) absl::StrAppend(&path, "/namespaces/", PathSegment(ns));
  absl::StrAppend(&path, "/", PathSegment(type.plural));
  return path;
}

std::string ObjectPath(const ObjectRef& ref, const std::string& subresource) {
  std::string path = CollectionPath(ref.type, ref.ns);
  absl::StrAppend(&path, "/", PathSegment(ref.name));
  if (!subresource.empty()) absl::StrAppend(&path, "/", PathSegment(subresource));
  return path;
}

std::string QueryEscape(const std::string& value) { return PercentEncode(value); }

}  // namespace xebec::kube
