// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/http/response.h"

#include "absl/strings/str_cat.h"

namespace xebec::telemetry {
namespace {

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

}  // namespace

HttpResponse StatusOnly(int status) {
  return {.status = status, .body = absl::StrCat(status, " ", Reason(status), "\n")};
}

std::string Serialize(const HttpResponse& response, bool head_only) {
  return absl::StrCat(
      "HTTP/1.1 ", response.status, " ", Reason(response.status),
      "\r\nContent-Type: ", response.content_type, "\r\nContent-Length: ", response.body.size(),
      "\r\nX-Content-Type-Options: nosniff", "\r\nConnection: close\r\n",
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "", "\r\n", head_only ? "" : response.body);
}

}  // namespace xebec::telemetry
