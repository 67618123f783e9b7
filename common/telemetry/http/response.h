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

/// An answer that only says its status code, such as "404 Not Found".
HttpResponse StatusOnly(int status);

/// The bytes of the response. It announces that the connection closes after it. `head_only`, for
/// HEAD requests: without the body, but with its length.
std::string Serialize(const HttpResponse& response, bool head_only);

}  // namespace xebec::telemetry
