// SPDX-License-Identifier: Apache-2.0
#include "common/kube/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace xebec::kube::internal {
namespace {

constexpr off_t kMaxFileBytes = 1024 * 1024;

absl::Status FileError(const std::string& path, int error) {
  const std::string text = absl::StrCat(path, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::FailedPreconditionError(text);
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return FileError(path, errno);
  if (S_ISDIR(info.st_mode)) return FileError(path, EISDIR);
  if (info.st_size > kMaxFileBytes) return FileError(path, EFBIG);
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError(path, errno != 0 ? errno : EIO);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return FileError(path, EIO);
  return text;
}

std::string RelativeTo(const std::string& file, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? path : absl::StrCat(file.substr(0, slash + 1), path);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::string> DecodeBase64(const std::string& what, const std::string& text) {
  std::string decoded;
  if (!absl::Base64Unescape(text, &decoded)) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is not valid base64"));
  }
  return decoded;
}

}  // namespace xebec::kube::internal
