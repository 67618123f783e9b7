// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/questions.h"

#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "cli/commands/key_listing.h"
#include "cli/commands/message_json.h"
#include "cli/text/answers.h"
#include "cli/text/watchers_text.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/health.h"
#include "common/rpc/status_map.h"
#include "xebec/v1/watcher.grpc.pb.h"

namespace xebec::cli {
namespace {

constexpr absl::Duration kPause = absl::Seconds(2);  // the time until a restarted watcher serves
using Stub = v1::WatcherService::Stub;

/// Sends one request to the first watcher that answers.
template <typename Request, typename Response>
absl::Status Ask(const Asking& asking,
                 grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                 const Request& request, Response* response) {
  return AtFirstThatAnswers(
      "watcher", asking.watcher, asking.transport, [&](const Peer& peer) -> absl::Status {
        Stub stub(peer.channel);
        const auto context = rpc::MakeCallContext(asking.transport.timeout);
        return rpc::FromGrpc((stub.*method)(context.get(), request, response));
      });
}

void Warn(const char* command, const std::string& text, std::ostream& err) {
  err << "xebec " << command << ": warning: " << text << "\n" << std::flush;
}

/// Names the watchers that did not answer.
template <typename Response>
void WarnOfSilence(const char* command, const Response& response, std::ostream& err) {
  for (const v1::UnansweredWatcher& silent : response.unanswered())
    Warn(command, UnansweredText(silent), err);
}

/// Prints the answer as text or as JSON.
template <typename Response, typename ToText>
void Print(const Asking& asking, const Response& response, ToText to_text, std::ostream& out) {
  out << (asking.json ? MessageJson(response) : to_text(response, ReadClock().wall));
}

/// Calls `take` with one page after the other until it returns false. `request` is always that for
/// the next page.
absl::Status ListPages(const Peer& peer, absl::Duration timeout, v1::ListKeysRequest* request,
                       const std::function<bool(const v1::ListKeysResponse&)>& take) {
  Stub stub(peer.channel);
  bool more = true;
  while (more) {
    v1::ListKeysResponse page;
    const auto context = rpc::MakeCallContext(timeout);
    XEBEC_RETURN_IF_ERROR(rpc::FromGrpc(stub.ListKeys(context.get(), *request, &page)));
    request->set_page_token(page.next_page_token());
    more = take(page) && !page.next_page_token().empty();
  }
  return absl::OkStatus();
}

template <typename Request>
Request About(const ParentName& parent) {
  Request request;
  request.set_kind(parent.kind);
  request.set_namespace_(parent.ns);
  request.set_name(parent.name);
  request.set_controller(parent.controller);
  return request;
}

/// Prints until the stream ends. OK unless the watcher rejected the request.
absl::Status Follow(const Asking& asking, const Peer& peer, std::ostream& out, std::ostream& err) {
  XEBEC_RETURN_IF_ERROR(rpc::CheckHealth(peer.channel, asking.transport.timeout));
  Stub stub(peer.channel);
  const auto context = rpc::MakeStreamContext();
  const auto reader = stub.WatchActivity(context.get(), v1::WatchActivityRequest());
  v1::WatchActivityResponse activity;
  while (out && reader->Read(&activity)) {
    if (activity.has_unanswered()) {
      Warn("activity", UnansweredText(activity.unanswered()), err);
      continue;
    }
    out << (asking.json ? MessageJson(activity) : ActivityText(activity)) << std::flush;
  }
  if (!out) context->TryCancel();
  const absl::Status end = rpc::FromGrpc(reader->Finish());
  return !out || absl::IsUnavailable(end) ? absl::OkStatus() : end;
}

}  // namespace

absl::StatusOr<ParentName> ReadParentName(const std::string& kind, const std::string& name,
                                          const std::string& ns) {
  const size_t slash = kind.find('/');
  ParentName parent = {kind, ns, name};
  if (slash != std::string::npos && name.empty()) {
    parent = {kind.substr(0, slash), ns, kind.substr(slash + 1)};
  }
  if (parent.kind.empty() || parent.name.empty() ||
      absl::StrCat(parent.kind, parent.name).find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        "invalid parent: must be KIND NAME or KIND/NAME, such as iris/sample; pass its namespace "
        "with -n");
  }
  return parent;
}

absl::Status AskForKeys(const Asking& asking, const std::string& kind, const std::string& ns,
                        std::ostream& out, std::ostream& err) {
  if (kind.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        "keys lists the parents of a kind; use explain for one parent");
  }
  v1::ListKeysRequest request;
  request.set_kind(kind);
  request.set_namespace_(ns);
  KeyListing listing(asking.json, &out);
  std::set<std::string> warned;
  // The tokens are good at every watcher: if one stops answering, the next one continues.
  XEBEC_RETURN_IF_ERROR(
      AtFirstThatAnswers("watcher", asking.watcher, asking.transport, [&](const Peer& peer) {
        return ListPages(peer, asking.transport.timeout, &request, [&](const auto& page) {
          listing.Add(page, ReadClock().wall);
          for (const v1::UnansweredWatcher& silent : page.unanswered()) {
            if (warned.insert(silent.identity()).second) Warn("keys", UnansweredText(silent), err);
          }
          return static_cast<bool>(out);
        });
      }));
  listing.End();
  return absl::OkStatus();
}

absl::Status AskWhy(const Asking& asking, const ParentName& parent, std::ostream& out,
                    std::ostream& err) {
  v1::ExplainResponse response;
  absl::Status answer = Ask(asking, &Stub::Explain, About<v1::ExplainRequest>(parent), &response);
  if (!answer.ok()) return answer;
  WarnOfSilence("explain", response, err);
  Print(asking, response, ExplanationText, out);
  return answer;
}

absl::Status AskForObservation(const Asking& asking, const ParentName& parent, std::ostream& out,
                               std::ostream& err) {
  v1::GetObservationResponse response;
  absl::Status answer =
      Ask(asking, &Stub::GetObservation, About<v1::GetObservationRequest>(parent), &response);
  if (!answer.ok()) return answer;
  WarnOfSilence("observation", response, err);
  response.clear_unanswered();  // `xebec plan` of another version may not know it
  out << MessageJson(response);
  return answer;
}

absl::Status AskForWatchers(const Asking& asking, std::ostream& out, std::ostream& err) {
  v1::ListWatchersResponse response;
  absl::Status answer = Ask(asking, &Stub::ListWatchers, v1::ListWatchersRequest(), &response);
  if (!answer.ok()) return answer;
  for (const v1::WatcherSummary& each : response.watchers()) {
    if (each.error().empty()) continue;
    Warn("watchers", UnansweredText(each.identity(), each.address(), each.error()), err);
  }
  Print(asking, response, WatchersText, out);
  return answer;
}

absl::Status FollowActivity(const Asking& asking, std::ostream& out, std::ostream& err) {
  const auto follow = [&](const Peer& peer) { return Follow(asking, peer, out, err); };
  bool followed = false;
  while (true) {
    absl::Status end = AtFirstThatAnswers("watcher", asking.watcher, asking.transport, follow);
    if (!out) return absl::OkStatus();
    if (!end.ok() && !(followed && IsSilent(end))) return end;
    if (end.ok()) err << "xebec activity: the watcher closed the connection; reconnecting\n";
    followed = true;
    absl::Notification().WaitForNotificationWithTimeout(kPause);
  }
}

}  // namespace xebec::cli
