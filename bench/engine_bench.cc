// SPDX-License-Identifier: Apache-2.0
// Feeds the watcher's engine with many objects, as an API server and planners would, without
// either: cost of an event, longest step, memory of a child, memory during a relist and a failover.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "watcher/engine/engine.h"

namespace xebec::watcher::bench {
namespace {

constexpr size_t kEventsAtOnce = 64;  // what the watcher reads of a socket at once: 64 KiB
constexpr size_t kChangedChildren = 20'000;
constexpr size_t kNamespaces = 100;

const ResourceType kWidgets{
    .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
const ResourceType kParts{.group = "apps", .version = "v1", .kind = "Part", .plural = "parts"};

double Megabytes(size_t bytes) { return static_cast<double>(bytes) / (1024 * 1024); }

size_t Allocated() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Of this process: what else the machine does must not count.
absl::Duration CpuTime() { return absl::Microseconds(std::clock() * (1'000'000 / CLOCKS_PER_SEC)); }

std::string UidOf(char kind, size_t number) {
  return absl::StrFormat("%08x-%04x-4%03x-8%03x-%012x", number * 2654435761u, number & 0xffff,
                         number & 0xfff, kind & 0xff, number);
}

kube::DecodedObject MakeObject(bool child, size_t number, uint64_t version) {
  kube::DecodedObject object;
  kube::ObjectHeader& header = object.header;
  header.ns = absl::StrCat("team-", number % kNamespaces);
  header.name = absl::StrFormat("iris-%07d%s", number, child ? "-web" : "");
  header.uid = UidOf(child ? 'c' : 'p', number);
  header.resource_version = absl::StrCat(version);
  header.generation = 1;
  if (child) {
    header.controller = {"example.com/v1", "Widget", absl::StrFormat("iris-%07d", number),
                         UidOf('p', number)};
  }
  object.json = MakeObjectBytes(
      absl::StrCat(R"({"apiVersion":"apps/v1","kind":"Part","metadata":{"name":")", header.name,
                   R"(","namespace":")", header.ns, R"(","uid":")", header.uid,
                   R"(","resourceVersion":")", version, R"("},"spec":{"template":")",
                   std::string(500, 'x'), R"("},"status":{"ready":)", version % 10, "}}"));
  return object;
}

/// The engine and the world around it: answers what it asks for, and measures every step.
class Bench {
 public:
  explicit Bench(size_t children, bool election)
      : children_(children), engine_(OptionsOf(election), "bench") {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = kWidgets;
    ChildRule rule;
    rule.type = kParts;
    kind.children.push_back(rule);
    if (election) SeeLease("other", 1);
    Step(DescriptionArrived{{"r1", {kind}}});
    Step(CreditsChanged{64, 64});
  }

  /// Answers everything until nothing is asked for any more.
  void Run() {
    while (true) {
      if (!discoveries_.empty()) {
        const Discover asked = Pop(&discoveries_);
        Step(Discovered{asked.type, true, true, false});
      } else if (!lists_.empty()) {
        StreamList(Pop(&lists_));
      } else if (!pages_.empty()) {
        AnswerPage(Pop(&pages_));
      } else if (!observations_.empty()) {
        AnswerObservation(Pop(&observations_));
      } else if (engine_.NextDeadline() <= now_.monotonic) {
        Step(Tick{});
      } else {
        return;
      }
    }
  }

  /// One event each for many children, with the plan that follows.
  void ChangeChildren(size_t events) {
    for (size_t i = 0; i < events; ++i) {
      const size_t child = i * 7919 % children_;
      Step(EventsArrived{watch_of_parts_, {EventOf(true, child, ++version_)}});
      Run();
    }
  }

  /// The watch of children has expired: everything is listed again.
  void ExpireWatch() {
    Step(WatchEnded{watch_of_parts_, ApiFailure{410, "Expired", "", std::nullopt}});
    Run();
  }

  /// The Lease's holder is gone; this watcher takes over and is brought up to date.
  void TakeOver() {
    Advance(absl::Seconds(16));
    Step(Tick{});
    SeeLease("bench", 2);
    Run();
    for (int i = 0; i < 6; ++i) {  // the API server's bookmarks
      Advance(absl::Milliseconds(500));
      Step(EventsArrived{watch_of_parts_, {Bookmark(false)}});
      Step(EventsArrived{watch_of_widgets_, {Bookmark(false)}});
      Run();
    }
  }

  void ResetFigures() { steps_ = 0, longest_ = total_ = absl::ZeroDuration(), peak_ = Allocated(); }
  size_t steps() const { return steps_; }
  absl::Duration total() const { return total_; }
  absl::Duration longest() const { return longest_; }
  size_t peak() const { return peak_; }
  size_t planned() const { return planned_; }
  bool leads() const { return engine_.Leads(); }

  /// Lists of children bring none until this is set.
  bool with_children = true;

 private:
  static Options OptionsOf(bool election) {
    Options options;
    options.leader_election = election;
    return options;
  }

  template <typename T>
  static T Pop(std::deque<T>* queue) {
    T first = std::move(queue->front());
    queue->pop_front();
    return first;
  }

  void Advance(absl::Duration time) {
    now_.wall += time;
    now_.monotonic += time;
  }

  void Step(Input input) {
    const absl::Duration begin = CpuTime();
    Outputs outputs = engine_.Step(now_, std::move(input));
    const absl::Duration took = CpuTime() - begin;
    total_ += took;
    longest_ = std::max(longest_, took);
    if (++steps_ % 256 == 0) peak_ = std::max(peak_, Allocated());
    for (Output& output : outputs) Take(std::move(output));
  }

  void Take(Output output) {
    if (auto* discover = std::get_if<Discover>(&output)) discoveries_.push_back(*discover);
    if (auto* page = std::get_if<StartList>(&output)) pages_.push_back(*page);
    if (auto* send = std::get_if<SendObservation>(&output)) {
      observations_.push_back(std::move(*send));
    }
    if (auto* watch = std::get_if<StartWatch>(&output)) {
      (watch->type == kParts ? watch_of_parts_ : watch_of_widgets_) = watch->stream;
      if (watch->initial_events) lists_.push_back(*watch);
    }
  }

  kube::WatchEvent EventOf(bool child, size_t number, uint64_t version) const {
    return {kube::WatchEventType::kAdded, MakeObject(child, number, version), false, 0, "", ""};
  }
  kube::WatchEvent Bookmark(bool end) {
    kube::WatchEvent bookmark;
    bookmark.type = kube::WatchEventType::kBookmark;
    bookmark.object.header.resource_version = absl::StrCat(++version_);
    bookmark.initial_events_end = end;
    return bookmark;
  }

  void StreamList(const StartWatch& request) {
    const bool child = request.type == kParts;
    const size_t count = child && !with_children ? 0 : children_;
    std::vector<kube::WatchEvent> events;
    for (size_t i = 0; i < count; ++i) {
      events.push_back(EventOf(child, i, 1 + i));
      if (events.size() == kEventsAtOnce) {
        Step(EventsArrived{request.stream, std::exchange(events, {})});
      }
    }
    version_ = std::max<uint64_t>(version_, 10 * children_);
    events.push_back(Bookmark(true));
    Step(EventsArrived{request.stream, std::move(events)});
  }

  void AnswerPage(const StartList& request) {
    const bool child = request.type == kParts;
    const size_t begin = request.continue_token.empty() ? 0 : std::stoul(request.continue_token);
    const size_t end = std::min(children_, begin + request.limit);
    ListArrived answer{request.stream, {{}, absl::StrCat(version_), ""}};
    for (size_t i = begin; i < end; ++i) {
      answer.page.objects.push_back(MakeObject(child, i, 1 + i));
    }
    if (end < children_) answer.page.continue_token = absl::StrCat(end);
    Step(std::move(answer));
  }

  void AnswerObservation(const SendObservation& send) {
    Plan plan;
    plan.envelope = send.observation.envelope;
    plan.planner_revision = "r1";
    plan.complete = true;
    ++planned_;
    Step(PlanArrived{send.sequence, std::move(plan)});
  }

  void SeeLease(const std::string& holder, uint64_t transitions) {
    const std::string version = absl::StrCat(++lease_version_);
    Step(LeaseSeen{0, true, holder, transitions, absl::Seconds(15), version, version});
  }

  const size_t children_;
  Engine engine_;
  Instant now_{absl::FromUnixSeconds(1'700'000'000), absl::Seconds(1000)};
  uint64_t version_ = 1;
  uint64_t lease_version_ = 0;
  StreamId watch_of_parts_ = 0, watch_of_widgets_ = 0;
  std::deque<Discover> discoveries_;
  std::deque<StartWatch> lists_;
  std::deque<StartList> pages_;
  std::deque<SendObservation> observations_;
  size_t steps_ = 0, peak_ = 0, planned_ = 0;
  absl::Duration total_, longest_;
};

size_t JsonBytes(size_t objects) {
  size_t bytes = 0;
  for (size_t i = 0; i < objects; ++i) bytes += MakeObject(true, i, 1 + i).json->size();
  return bytes;
}

/// `objects` are half parents and half children.
void MeasureEvents(size_t objects) {
  const size_t children = objects / 2;
  Bench bench(children, /*election=*/false);
  bench.with_children = false;
  bench.Run();
  const size_t before = Allocated();
  bench.with_children = true;
  bench.ResetFigures();
  bench.ExpireWatch();
  const absl::Duration list_longest = bench.longest();
  const absl::Duration list_total = bench.total();
  const double beside = (static_cast<double>(Allocated()) - static_cast<double>(before) -
                         static_cast<double>(JsonBytes(children))) /
                        static_cast<double>(children);
  bench.ResetFigures();
  bench.ChangeChildren(kChangedChildren);
  std::printf(
      "%9zu objects: list %7.2f us/child, longest step %7.2f ms; event %6.2f us, "
      "longest step %6.2f ms; %4.0f bytes beside a child's JSON\n",
      objects, absl::ToDoubleMicroseconds(list_total) / static_cast<double>(children),
      absl::ToDoubleMilliseconds(list_longest),
      absl::ToDoubleMicroseconds(bench.total()) / kChangedChildren,
      absl::ToDoubleMilliseconds(bench.longest()), beside);
}

void PrintPeak(const char* what, const Bench& bench, size_t idle) {
  std::printf("%9s: idle %7.1f MiB, peak %7.1f MiB, %.2f times; longest step %.2f ms\n", what,
              Megabytes(idle), Megabytes(bench.peak()),
              static_cast<double>(bench.peak()) / static_cast<double>(idle),
              absl::ToDoubleMilliseconds(bench.longest()));
}

/// Of `objects` half are parents.
void MeasureMemory(size_t objects) {
  {
    Bench bench(objects / 2, /*election=*/false);
    bench.Run();
    const size_t idle = Allocated();
    bench.ResetFigures();
    bench.ExpireWatch();
    PrintPeak("relist", bench, idle);
  }
  Bench bench(objects / 2, /*election=*/true);
  bench.Run();
  const size_t idle = Allocated();
  bench.ResetFigures();
  bench.TakeOver();
  PrintPeak("failover", bench, idle);
  if (!bench.leads() || bench.planned() == 0) std::printf("the failover did not happen\n");
}

}  // namespace
}  // namespace xebec::watcher::bench

/// Usage: xebec-bench-engine [OBJECTS...]; without any 1,000 to 1,000,000, and the memory at
/// 50,000.
int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1'000, 10'000, 100'000, 1'000'000};
  for (const size_t size : sizes) xebec::watcher::bench::MeasureEvents(std::max<size_t>(2, size));
  xebec::watcher::bench::MeasureMemory(50'000);
  return 0;
}
