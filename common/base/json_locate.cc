// SPDX-License-Identifier: Apache-2.0
#include "common/base/json_locate.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/base/strings.h"

namespace xebec {
namespace {

bool IsInteger(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

/// Receives nlohmann's events. Builds no tree and stops at the first error.
class FaultFinder {
 public:
  FaultFinder(const size_t& read, size_t max_depth) : read_(read), max_depth_(max_depth) {}

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(int64_t) { return true; }
  bool number_unsigned(uint64_t) { return true; }
  bool number_float(double, const std::string& text) {
    return !IsInteger(text) ||
           Fail(absl::StrCat("integer ", Ellipsize(text, 40), " beyond 64 bits"));
  }
  bool string(std::string&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(size_t) { return Enter(); }
  bool end_object() { return Leave(); }
  bool start_array(size_t) { return Enter(); }
  bool end_array() { return Leave(); }
  bool key(std::string& name) {
    if (keys_.back().insert(name).second) return true;
    return Fail(absl::StrCat("duplicate key \"", Ellipsize(name, 80), "\""));
  }
  bool parse_error(size_t position, const std::string& token, const Json::exception& error) {
    const bool number = error.id >= 400;  // out_of_range: a number that a double cannot represent
    fault_ = {
        position > 0 ? position - 1 : 0,
        number ? absl::StrCat("number ", Ellipsize(token, 40), " out of range") : Cause(error)};
    return false;
  }

  const JsonFault& fault() const { return fault_; }

 private:
  static std::string Cause(const Json::exception& error) {
    const std::string text = error.what();
    const size_t dash = text.find(" - ");
    const size_t cut = text.find("; last read", dash);
    if (dash == std::string::npos) return "malformed";
    return text.substr(dash + 3, cut == std::string::npos ? cut : cut - dash - 3);
  }
  bool Enter() {
    keys_.emplace_back();
    return keys_.size() <= max_depth_ || Fail(absl::StrCat("deeper than ", max_depth_, " levels"));
  }
  bool Leave() {
    keys_.pop_back();
    return true;
  }
  bool Fail(std::string what) {
    fault_ = {read_ > 0 ? read_ - 1 : 0, std::move(what)};
    return false;
  }

  const size_t& read_;
  const size_t max_depth_;
  std::vector<std::set<std::string>> keys_;
  JsonFault fault_;
};

/// Counts the bytes that the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  size_t* read_;
};

}  // namespace

JsonFault LocateJsonFault(std::string_view text, size_t max_depth) {
  size_t read = 0;
  FaultFinder finder(read, max_depth);
  Json::sax_parse(CountingIterator(text.data(), &read),
                  CountingIterator(text.data() + text.size(), &read), &finder);
  JsonFault fault = finder.fault();
  fault.offset = std::min(fault.offset, text.size());
  return fault;
}

std::string DescribePosition(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n') + 1;  // npos + 1 == 0
  return absl::StrCat("line ", line, ", column ", offset - start + 1);
}

}  // namespace xebec
