// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/kube/watch_event.h"
#include "common/model/well_known.h"
#include "tests/fuzz/check.h"

namespace {

using xebec::kube::DecodedObject;
using xebec::kube::Projection;

std::vector<Projection> Projections() {
  Projection some;
  some.fields = {"spec", "status.phase", "status.a.b"};
  some.parent_label = "app";
  Projection controlled = some;
  controlled.controller_kinds = {"example.com/v1/Iris"};
  return {Projection(), some, controlled};
}

/// Without what the decoder itself adds, which is no part of what it decodes.
xebec::Json WithoutOurs(const std::string& json) {
  xebec::Json object = xebec::Json::parse(json);
  object.erase(std::string(xebec::kUnreadableMember));
  object.erase(std::string(xebec::kLastWriterMember));
  object.erase(std::string(xebec::kCoOwnersMember));
  object.erase(std::string(xebec::kAppliersMember));
  return object;
}

bool Same(const std::string& a, const std::string& b) {
  return a == b || WithoutOurs(a) == WithoutOurs(b);
}

/// What is kept is sound JSON, and projecting it again changes nothing.
void CheckKept(const DecodedObject& object, const Projection& projection) {
  XEBEC_FUZZ_CHECK(!object.header.name.empty());
  if (object.json == nullptr) return;
  XEBEC_FUZZ_CHECK(xebec::CheckJsonObject(*object.json, {.max_depth = 65}).ok());
  const auto again = xebec::kube::DecodeObject(*object.json, projection);
  XEBEC_FUZZ_CHECK(again.ok() && again->header == object.header);
  XEBEC_FUZZ_CHECK(again->json != nullptr && Same(*again->json, *object.json));
}

void CheckLine(std::string_view line) {
  std::vector<char> padded(line.begin(), line.end());
  padded.resize(line.size() + xebec::kube::kLinePadding);  // on the heap, so that overruns are seen
  for (const Projection& projection : Projections()) {
    const auto event = xebec::kube::DecodeWatchLine({padded.data(), line.size()}, projection);
    const bool has_object = event.ok() && event->type != xebec::kube::WatchEventType::kError &&
                            event->type != xebec::kube::WatchEventType::kBookmark;
    if (has_object) CheckKept(event->object, projection);
  }
}

std::vector<std::string> Split(std::string_view stream, size_t cut) {
  xebec::kube::LineSplitter splitter;
  std::vector<std::string> lines;
  const auto add = [&](std::string_view line) { lines.emplace_back(line); };
  XEBEC_FUZZ_CHECK(splitter.Feed(stream.substr(0, cut), add).ok());
  XEBEC_FUZZ_CHECK(splitter.Feed(stream.substr(cut), add).ok());
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckLine(text);
  XEBEC_FUZZ_CHECK(Split(text, size / 2) == Split(text, 0));
  const xebec::ResourceType type{"example.com", "v1", "Iris", "irises", false};
  for (const Projection& projection : Projections()) {
    const auto page = xebec::kube::DecodeListPage(text, type, projection);
    if (!page.ok()) continue;
    for (const DecodedObject& object : page->objects) CheckKept(object, projection);
  }
  return 0;
}
