// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace xebec::telemetry {

/// The answer to an HTTP request.
struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

/// Returns a response whose body is its status, such as "404 Not Found".
HttpResponse StatusOnly(int status);

/// Returns the serialized response with "Connection: close". `head_only`, for HEAD requests, omits
/// the body and keeps its length in the headers.
std::string Serialize(const HttpResponse& response, bool head_only);

}  // namespace xebec::telemetry
