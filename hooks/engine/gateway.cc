// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/gateway.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::gateway {
namespace {

/// Appends a part so that different lists of parts give different keys.
void AppendPart(std::string* key, const std::string& part) {
  absl::StrAppend(key, part.size(), ":", part, ";");
}

std::string KeyOf(const HookCall& call) {
  std::string key;
  AppendPart(&key, call.operator_name);
  if (const auto* service = std::get_if<HookService>(&call.endpoint.target)) {
    AppendPart(&key, service->ns);
    AppendPart(&key, service->name);
    AppendPart(&key, absl::StrCat(service->port));
  } else {
    AppendPart(&key, std::get<std::string>(call.endpoint.target));
  }
  absl::StrAppend(&key, static_cast<int>(call.endpoint.protocol), ";");
  if (!call.endpoint.tls) return key;
  AppendPart(&key, call.endpoint.tls->ca_bundle);
  AppendPart(&key, call.endpoint.tls->server_name);
  AppendPart(&key, call.endpoint.tls->credential);
  return key;
}

}  // namespace

/// Returns nullptr if too many hooks are in use.
HookLine* Gateway::LineOf(const HookCall& call, Outputs* out) {
  const std::string key = KeyOf(call);
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return &lines_.at(known->second);
  if (lines_.size() >= limits_.hooks && !MakeRoom(out)) return nullptr;
  const uint64_t id = ++ids_;
  by_key_.emplace(key, id);
  return &lines_.emplace(id, HookLine(id, call.operator_name, call.endpoint)).first->second;
}

/// Removes the hook that no call uses and that was used least recently. Returns false if all are in
/// use.
bool Gateway::MakeRoom(Outputs* out) {
  auto oldest = lines_.end();
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    if (!line->second.idle()) continue;
    if (oldest == lines_.end() || line->second.used_at() < oldest->second.used_at()) oldest = line;
  }
  if (oldest == lines_.end()) return false;
  std::erase_if(by_key_, [&](const auto& entry) { return entry.second == oldest->first; });
  Remove(oldest, out);
  return true;
}

void Gateway::Remove(std::map<uint64_t, HookLine>::iterator line, Outputs* out) {
  cache_.Drop(line->first);
  out->push_back(Close{line->first, line->second.operator_name()});
  lines_.erase(line);
}

Outputs Gateway::Call(absl::Duration now, const Ticket& ticket, HookCall call, std::string digest) {
  Outputs out;
  const Turn turn = Begin(now, &out);
  HookLine* line = LineOf(call, &out);
  if (line == nullptr) {
    const std::string message = absl::StrCat("the gateway calls ", limits_.hooks,
                                             " hooks already; run another release for more");
    const HookFailure failure{HookFailureCode::kUnavailable, message, {}};
    out.push_back(SendReply{ticket, {failure, "", false}, call.operator_name, {}, false});
  } else if (call.known) {
    line->Poll(turn, ticket, *call.known, call.timeout);
  } else {
    line->Sync(turn,
               {ticket, std::move(call.sync_request), std::move(digest), call.timeout, call.again});
  }
  return out;
}

Outputs Gateway::StreamEnded(absl::Duration now, uint64_t stream) {
  Outputs out;
  for (auto& [id, line] : lines_) line.Forget(Begin(now, &out), stream);
  return out;
}

Outputs Gateway::Opened(absl::Duration now, uint64_t hook, uint64_t connection,
                        const OpenResult& result) {
  Outputs out;
  const auto line = lines_.find(hook);
  if (line != lines_.end()) line->second.Opened(Begin(now, &out), connection, result);
  return out;
}

Outputs Gateway::Lost(absl::Duration now, uint64_t hook, uint64_t connection) {
  Outputs out;
  const auto line = lines_.find(hook);
  if (line != lines_.end()) line->second.Lost(Begin(now, &out), connection);
  return out;
}

Outputs Gateway::Answered(absl::Duration now, uint64_t hook, uint64_t call, CallResult result) {
  Outputs out;
  const auto line = lines_.find(hook);
  if (line != lines_.end()) line->second.Answered(Begin(now, &out), call, std::move(result));
  return out;
}

Outputs Gateway::Tick(absl::Duration now) {
  Outputs out;
  const Turn turn = Begin(now, &out);
  std::erase_if(by_key_, [&](const auto& entry) {
    const auto line = lines_.find(entry.second);
    line->second.Tick(turn);
    if (!line->second.Unused(turn)) return false;
    Remove(line, &out);
    return true;
  });
  return out;
}

absl::Duration Gateway::due() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& [id, line] : lines_) next = std::min(next, line.due(limits_));
  return next;
}

Gateway::Figures Gateway::figures() const {
  Figures figures;
  figures.hooks = lines_.size();
  figures.cache_bytes = cache_.bytes();
  for (const auto& [id, line] : lines_) {
    figures.in_flight += line.in_flight();
    figures.waiting += line.waiting();
    figures.connections += line.connected() ? 1 : 0;
  }
  return figures;
}

}  // namespace xebec::gateway
