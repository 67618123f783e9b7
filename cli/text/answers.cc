// SPDX-License-Identifier: Apache-2.0
#include "cli/text/answers.h"

#include "absl/strings/str_cat.h"
#include "cli/text/watchers_text.h"
#include "cli/text/words.h"
#include "google/protobuf/util/time_util.h"

namespace xebec::cli {
namespace {

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixNanos(google::protobuf::util::TimeUtil::TimestampToNanoseconds(time));
}

/// "irises.example.com"
std::string Resource(const v1::ObjectRef& ref) {
  const v1::ResourceType& type = ref.type();
  return absl::StrCat(type.plural(), type.group().empty() ? "" : ".", type.group());
}

/// "irises.example.com default/web"
std::string Full(const v1::ObjectRef& ref) {
  return absl::StrCat(Resource(ref), " ", ref.namespace_(), ref.namespace_().empty() ? "" : "/",
                      ref.name());
}

std::string StateOf(const v1::KeySummary& key) {
  return EnumWord(v1::KeyState_Name(key.state()), "KEY_STATE_");
}

/// The time until the next reconcile; empty if none is scheduled.
std::string Next(const v1::KeySummary& key, absl::Time now) {
  return key.has_next() ? Span(ToTime(key.next()) - now) : "";
}

std::string HeadOf(const v1::KeySummary& key, absl::Time now) {
  std::string head = absl::StrCat(Full(key.ref()), "   ", StateOf(key));
  if (key.failures() > 0) absl::StrAppend(&head, ", ", Count(key.failures(), "failure"));
  if (key.has_next()) absl::StrAppend(&head, ", retry in ", Next(key, now));
  return OneLine(head);
}

template <typename Lines>
std::string List(const char* title, const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, text.empty() ? title : "", "  ", OneLine(line), "\n");
  }
  return text;
}

std::string OutcomesText(const v1::ExplainResponse& answer, absl::Time now) {
  Table table("  ");
  for (const v1::Outcome& outcome : answer.last_outcomes()) {
    table.Add({outcome.operation(), EnumWord(v1::OutcomeCode_Name(outcome.code()), "OUTCOME_CODE_"),
               outcome.has_at() ? absl::StrCat(Span(now - ToTime(outcome.at())), " ago") : "",
               outcome.message()});
  }
  return table.empty() ? "" : absl::StrCat("Last operations:\n", table.TakeText());
}

/// The watcher whose log tells more.
std::string WatcherOf(const v1::ExplainResponse& answer) {
  if (answer.watcher().empty()) return "";
  return absl::StrCat("Watcher: ", OneLine(HostOf(answer.watcher())), "\n");
}

/// The keys of a parent follow each other.
bool HasSeveralControllers(const v1::ListKeysResponse& page) {
  for (int i = 1; i < page.keys_size(); ++i) {
    if (Full(page.keys(i).ref()) == Full(page.keys(i - 1).ref())) return true;
  }
  return false;
}

}  // namespace

void KeysTable::Begin(bool controllers) {
  begun_ = true;
  controllers_ = controllers;
  table_ = Table();
  table_.Add({"KIND", "NAMESPACE", "NAME", controllers ? "CONTROLLER" : "", "STATE", "FAILURES",
              "RETRY IN", "LAST REASON"});
}

std::string KeysTable::Add(const v1::ListKeysResponse& page, absl::Time now) {
  if (page.keys().empty()) return "";
  const bool several = HasSeveralControllers(page);
  if (!begun_ || (several && !controllers_)) Begin(several);
  for (const v1::KeySummary& key : page.keys()) {
    table_.Add({Resource(key.ref()), key.ref().namespace_(), key.ref().name(),
                controllers_ ? key.controller() : "", StateOf(key), absl::StrCat(key.failures()),
                Next(key, now), key.reasons().empty() ? "" : *key.reasons().rbegin()});
  }
  return table_.TakeText();
}

std::string KeysTable::End() const { return begun_ ? "" : "No parents found.\n"; }

std::string ExplanationText(const v1::ExplainResponse& answer, absl::Time now) {
  return absl::StrCat(HeadOf(answer.key(), now), "\n", OneLine(answer.explanation()), "\n",
                      WatcherOf(answer), List("Waiting for:\n", answer.waiting_for()),
                      List("Queued because:\n", answer.key().reasons()), OutcomesText(answer, now));
}

std::string ActivityText(const v1::WatchActivityResponse& activity) {
  std::string line = absl::FormatTime("%H:%M:%E3S", ToTime(activity.time()), absl::UTCTimeZone());
  absl::StrAppend(&line, "   ", activity.what());
  if (activity.has_ref()) absl::StrAppend(&line, "   ", Full(activity.ref()));
  if (!activity.detail().empty()) absl::StrAppend(&line, "   ", activity.detail());
  return absl::StrCat(OneLine(line), "\n");
}

}  // namespace xebec::cli
