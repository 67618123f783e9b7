// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "watcher/engine/leadership/members_view.h"
#include "xebec/v1/watcher.pb.h"

/// Several watchers may know a parent while its bucket moves from one to another. The answer of the
/// holder of the bucket is used.
namespace xebec::watcher {

/// The page of keys that one watcher returned.
struct KeysOf {
  MemberView member;
  v1::ListKeysResponse page;
};

/// Merges pages that were all requested with `request`, at most `limit` keys each, into one page of
/// at most `limit` keys with the token of the next page, and with what the pages may lack.
v1::ListKeysResponse MergeKeys(const v1::ListKeysRequest& request, size_t limit,
                               const std::vector<KeysOf>& parts);

/// The answer of one watcher about the parent with a name.
struct ParentAnswer {
  MemberView member;
  absl::Status status;
  std::string resource;  ///< plural.group of the parent, if the status is OK.
  std::string uid;       ///< Its uid.
};

/// Returns the index of the answer that counts. NOT_FOUND if all answered so; UNAVAILABLE names the
/// watchers that may have the parent (see Unanswered); INVALID_ARGUMENT if the name is that of
/// parents of several kinds. `asked` is "iris default/web". The first answer is this watcher's.
absl::StatusOr<size_t> ChooseAnswer(const std::string& asked,
                                    const std::vector<ParentAnswer>& answers);

/// The error of a name that is that of parents of several kinds, plural.group each.
absl::Status AmbiguousName(const std::string& asked, std::vector<std::string> kinds);

/// "irises.example.com"
std::string ResourceOf(const v1::ObjectRef& ref);

}  // namespace xebec::watcher
