// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xebec::telemetry {

/// The head of an HTTP/1.1 request, as far as the health and metrics endpoint needs it.
struct HttpRequest {
  std::string method;
  std::string path;                                        ///< Percent-decoded, without the query.
  std::vector<std::pair<std::string, std::string>> query;  ///< Percent-decoded, in order.

  /// True if the query has the parameter, with or without a value.
  bool Has(std::string_view key) const;
  /// All values of the parameter, in order.
  std::vector<std::string> Values(std::string_view key) const;
};

/// Collects and parses the head of one request. A value without sockets or clocks. Its memory is
/// bounded by kMaxHead, whatever arrives.
class RequestReader {
 public:
  /// The most bytes of request line and headers together.
  static constexpr size_t kMaxHead = 8 * 1024;
  static constexpr size_t kMaxHeaders = 64;

  enum class State { kIncomplete, kComplete, kRefused };

  /// Adds bytes that arrived. Bytes after the head are ignored: a request has no body here. Has no
  /// effect once the state is not kIncomplete.
  State Feed(std::string_view bytes);
  /// The request, once the state is kComplete.
  const HttpRequest& request() const { return request_; }
  /// The status code of the refusal, once the state is kRefused: 400, 431 or 505.
  int refusal() const { return refusal_; }
  /// The number of bytes in the buffer.
  size_t size() const { return head_.size(); }

 private:
  State Refuse(int status);
  State Parse();
  bool ParseRequestLine(const std::string& line);

  State state_ = State::kIncomplete;
  std::string head_;
  HttpRequest request_;
  int refusal_ = 0;
};

}  // namespace xebec::telemetry
