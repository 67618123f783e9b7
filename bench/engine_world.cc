// SPDX-License-Identifier: Apache-2.0
#include "bench/engine_world.h"

#include <jemalloc/jemalloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xebec::watcher::bench {
namespace {

constexpr size_t kNamespaces = 100;
constexpr LeaseNumber kLeaseOfOther = 0;

const ResourceType kWidgets{
    .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
const ResourceType kParts{.group = "apps", .version = "v1", .kind = "Part", .plural = "parts"};

// An object of 750 bytes, with what most children contain.
constexpr char kMetadata[] =
    R"(","generation":1,"creationTimestamp":"2026-11-24T16:14:00Z","annotations":)"
    R"({"xebec.dev/desired-digest":"v1:ee2e929005befaee.8139510c"},"ownerReferences":[)"
    R"({"apiVersion":"example.com/v1","kind":"Widget","controller":true,"name":")";
constexpr char kSpec[] = R"("}]},"spec":{"replicas":1,"selector":{"matchLabels":{"app":")";
constexpr char kTemplate[] =
    R"("}},"template":{"spec":{"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
    R"("dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler","containers":[{"name":"part",)"
    R"("imagePullPolicy":"IfNotPresent","image":"registry.example.com/part@)";

std::string UidOf(char kind, size_t number) {
  return absl::StrFormat("%08x-%04x-4%03x-8%03x-%012x", static_cast<uint32_t>(number * 2654435761u),
                         number & 0xffff, number & 0xfff, kind & 0xff, number);
}

kube::WatchEvent EventOf(kube::DecodedObject object) {
  return {kube::WatchEventType::kAdded, std::move(object), 0, "", ""};
}

kube::WatchEvent Bookmark(uint64_t version) {
  kube::WatchEvent bookmark;
  bookmark.type = kube::WatchEventType::kBookmark;
  bookmark.object.header.resource_version = absl::StrCat(version);
  return bookmark;
}

Options OptionsOf(bool election, size_t namespaces) {
  Options options;
  options.leader_election = election;
  for (size_t i = 0; i < namespaces; ++i) options.namespaces.push_back(absl::StrCat("team-", i));
  return options;
}

/// Objects of others' buckets are decoded without their JSON.
kube::DecodedObject Projected(kube::DecodedObject object, const kube::Projection& projection) {
  const kube::ObjectHeader& header = object.header;
  if (!projection.keep.Keeps(header.uid, header.controller.uid, "")) object.json = nullptr;
  return object;
}

template <typename T>
T Pop(std::deque<T>* queue) {
  T first = std::move(queue->front());
  queue->pop_front();
  return first;
}

KindDescription WidgetKind() {
  KindDescription kind;
  kind.controller = "widget.example.com";
  kind.parent = kWidgets;
  return kind;
}

KindDescription WidgetKindWithParts(std::vector<std::string> fields) {
  KindDescription kind = WidgetKind();
  ChildRule rule;
  rule.type = kParts;
  rule.fields = std::move(fields);
  kind.children.push_back(rule);
  return kind;
}

const uint64_t* ThreadCounter(const char* name) {
  const uint64_t* counter = nullptr;
  size_t size = sizeof(counter);
  if (mallctl(name, &counter, &size, nullptr, 0) != 0) std::abort();
  return counter;
}

Operation ApplyOf(const Envelope& envelope) {
  Operation operation;
  operation.target = {kParts, envelope.parent.ref.ns, envelope.parent.ref.name + "-web"};
  operation.action = Apply{MakeObjectBytes("{}")};
  operation.id = OperationId(operation.action, operation.target);
  return operation;
}

}  // namespace

absl::Duration CpuTime() { return absl::Microseconds(std::clock() * (1'000'000 / CLOCKS_PER_SEC)); }

// jemalloc counts the bytes of each thread upwards.
size_t Allocated() {
  static const uint64_t* const allocated = ThreadCounter("thread.allocatedp");
  static const uint64_t* const freed = ThreadCounter("thread.deallocatedp");
  return *allocated - *freed;
}

ObjectKey NameOf(bool child, size_t number) {
  return {absl::StrCat("team-", number % kNamespaces),
          absl::StrFormat("iris-%07d%s", number, child ? "-web" : "")};
}

ObjectRef ParentAt(size_t number) {
  const ObjectKey name = NameOf(false, number);
  return {kWidgets, name.ns, name.name};
}

kube::DecodedObject MakeObject(bool child, size_t number, uint64_t version) {
  kube::DecodedObject object;
  kube::ObjectHeader& header = object.header;
  const ObjectKey name = NameOf(child, number);
  header.ns = name.ns;
  header.name = name.name;
  header.uid = UidOf(child ? 'c' : 'p', number);
  header.resource_version = absl::StrCat(version);
  header.generation = 1;
  if (child) {
    header.controller = {"example.com/v1", "Widget", absl::StrFormat("iris-%07d", number),
                         UidOf('p', number)};
  }
  object.json = MakeObjectBytes(absl::StrCat(
      R"({"apiVersion":"apps/v1","kind":"Part","metadata":{"name":")", header.name,
      R"(","namespace":")", header.ns, R"(","uid":")", header.uid, R"(","resourceVersion":")",
      version, kMetadata, header.name, R"(","uid":")", header.controller.uid, kSpec, header.name,
      kTemplate, UidOf('i', number), R"("}]}}},"status":{"ready":)", version % 10, "}}"));
  return object;
}

size_t PackedBytes(size_t children) {
  size_t bytes = 0;
  for (size_t i = 0; i < children; ++i) {
    bytes += PackedJson(*MakeObject(true, i, 1 + i).json).packed().view().size();
  }
  return bytes;
}

EngineWorld::EngineWorld(size_t children, bool election, size_t namespaces)
    : children_(children),
      namespaces_(namespaces),
      engine_(OptionsOf(election, namespaces), "bench") {
  for (size_t i = 0; i < children; ++i) child_versions_.push_back(1 + i);
  parent_versions_ = child_versions_;
  if (election) ShareWithAnother();
  Describe("r1", WidgetKindWithParts({"spec", "status"}));
  Step(CreditsChanged{64, 64});
}

// The other watcher holds every second bucket.
void EngineWorld::ShareWithAnother() {
  const uint32_t buckets = Options().buckets;
  Assignment assignment{std::vector<BucketHolder>(buckets)};
  for (uint32_t i = 0; i < buckets; ++i) assignment.buckets[i] = {i % 2 ? "other" : "bench", 1};
  leases_.Renew(kLeaseOfOther, "other", {.buckets = buckets});
  leases_.Assign(assignment);
  Step(leases_.List());
  Step(Join{});
}

void EngineWorld::Describe(const std::string& revision, const KindDescription& kind) {
  Step(DescriptionArrived{{revision, {kind}}});
}

void EngineWorld::Run() {
  while (AnswerOne()) {
  }
}

bool EngineWorld::AnswerOne() {
  if (!discoveries_.empty()) {
    const Discover asked = Pop(&discoveries_);
    Step(Discovered{asked.type, true, true, false});
  } else if (!lease_writes_.empty()) {
    Step(leases_.Write(Pop(&lease_writes_)));
  } else if (!pages_.empty()) {
    AnswerPage(Pop(&pages_));
  } else if (!observations_.empty()) {
    AnswerObservation(Pop(&observations_));
  } else if (!plans_.empty()) {
    AnswerPlan(Pop(&plans_));
  } else if (engine_.NextDeadline() <= now_.monotonic) {
    Step(Tick{});
  } else {
    return false;
  }
  return true;
}

kube::DecodedObject EngineWorld::Object(bool child, size_t number) const {
  return MakeObject(child, number, (child ? child_versions_ : parent_versions_)[number]);
}

void EngineWorld::Bring(bool child, kube::WatchEvent event) {
  const auto& watches = child ? watches_of_parts_ : watches_of_widgets_;
  const std::string ns = namespaces_ == 0 ? "" : event.object.header.ns;
  Step(EventsArrived{watches.at(ns), {std::move(event)}});
  Run();
}

void EngineWorld::ChangeChildren(size_t events) {
  for (size_t i = 0; i < events; ++i) {
    const size_t child = i * kStride % children_;
    child_versions_[child] = ++version_;
    Bring(true, EventOf(Object(true, child)));
  }
}

void EngineWorld::ChangeParents(size_t events) {
  for (size_t i = 0; i < events; ++i) {
    const size_t number = i * kStride % children_;
    parent_versions_[number] = ++version_;
    kube::DecodedObject parent = Object(false, number);
    parent.header.generation = static_cast<int64_t>(version_);
    Bring(false, EventOf(std::move(parent)));
  }
}

void EngineWorld::ChangeUnrelated(size_t events) {
  for (size_t i = 0; i < events; ++i) {
    kube::DecodedObject other = MakeObject(true, children_ + i, ++version_);
    other.json = nullptr;
    Bring(true, EventOf(std::move(other)));
  }
}

void EngineWorld::ExpireWatch() {
  Advance(absl::Minutes(1));  // else it would be a second one in a row
  Step(WatchEnded{watches_of_parts_.at(""), ApiFailure{410, "Expired", "", std::nullopt}});
  Run();
}

void EngineWorld::BreakList() {
  for (uint64_t& version : child_versions_) version = ++version_;
  breaks_lists_ = true;
  ExpireWatch();
  breaks_lists_ = false;
}

void EngineWorld::TakeOver() {
  Step(LeasesSeen{{leases_.Release(kLeaseOfOther)}});
  Run();
  SendBookmarks();
}

void EngineWorld::Upgrade(const std::string& revision, std::vector<std::string> fields) {
  Describe(revision, WidgetKindWithParts(std::move(fields)));
  Run();
  SendBookmarks();
}

void EngineWorld::DropChildren(const std::string& revision) {
  Describe(revision, WidgetKind());
  Run();
  SendBookmarks();
}

void EngineWorld::ApplyAll() {
  applies_ = true;
  ChangeParents(children_);
  applies_ = false;
}

// As an API server does when nothing else happens.
void EngineWorld::SendBookmarks() {
  for (int i = 0; i < 6; ++i) {
    Advance(absl::Milliseconds(500));
    Bring(true, Bookmark(++version_));
    Bring(false, Bookmark(++version_));
  }
}

void EngineWorld::ResetFigures() {
  steps_ = 0;
  longest_ = total_ = absl::ZeroDuration();
  peak_ = Allocated();
}

void EngineWorld::Advance(absl::Duration time) {
  now_.wall += time;
  now_.monotonic += time;
}

void EngineWorld::Step(Input input) {
  const absl::Duration begin = CpuTime();
  Outputs outputs = engine_.Step(now_, std::move(input));
  const absl::Duration took = CpuTime() - begin;
  total_ += took;
  longest_ = std::max(longest_, took);
  ++steps_;
  peak_ = std::max(peak_, Allocated());
  for (Output& output : outputs) Take(std::move(output));
}

void EngineWorld::Take(Output output) {
  if (auto* discover = std::get_if<Discover>(&output)) discoveries_.push_back(*discover);
  if (auto* write = std::get_if<WriteLease>(&output)) lease_writes_.push_back(std::move(*write));
  if (auto* page = std::get_if<StartList>(&output)) pages_.push_back(*page);
  if (auto* send = std::get_if<SendObservation>(&output)) observations_.push_back(std::move(*send));
  if (auto* send = std::get_if<SendPlan>(&output)) plans_.push_back(std::move(*send));
  if (auto* watch = std::get_if<StartWatch>(&output)) {
    (watch->type == kParts ? watches_of_parts_ : watches_of_widgets_)[watch->ns] = watch->stream;
  }
}

void EngineWorld::AnswerPage(const StartList& request) {
  version_ = std::max<uint64_t>(version_, 10 * children_);
  kube::ListPage page = PageOf(request);
  if (breaks_lists_ && page.continue_token.empty()) {
    Step(ListFailed{request.stream, ApiFailure{500, "InternalError", "", std::nullopt}});
    return;
  }
  Step(ListArrived{request.stream, std::move(page)});
}

// The objects of a namespace are every kNamespaces-th, and few: they make one page.
kube::ListPage EngineWorld::PageOf(const StartList& request) const {
  const bool child = request.type == kParts;
  const size_t count = child && !with_children ? 0 : children_;
  const size_t begin = request.continue_token.empty() ? 0 : std::stoul(request.continue_token);
  const size_t end = request.ns.empty() ? std::min(count, begin + request.limit) : count;
  kube::ListPage page{{}, absl::StrCat(version_), ""};
  for (size_t i = begin; i < end; ++i) {
    if (!request.ns.empty() && NameOf(child, i).ns != request.ns) continue;
    page.objects.push_back(Projected(Object(child, i), request.projection));
  }
  if (end < count) page.continue_token = absl::StrCat(end);
  return page;
}

void EngineWorld::AnswerObservation(const SendObservation& send) {
  Plan plan;
  plan.envelope = send.observation.envelope;
  plan.planner_revision = plan.envelope.planner_revision;
  plan.complete = true;
  if (applies_) plan.stages.push_back({"children", {ApplyOf(plan.envelope)}});
  revision_ = plan.planner_revision;
  ++planned_;
  Step(PlanArrived{send.sequence, std::move(plan)});
}

// The child is as it should be: nothing changes but what is remembered of it.
void EngineWorld::AnswerPlan(const SendPlan& send) {
  Report report;
  report.envelope = send.plan->envelope;
  for (const Operation& operation : send.plan->stages.front().operations) {
    Outcome outcome;
    outcome.operation = operation.id;
    outcome.target = operation.target;
    outcome.code = OutcomeCode::kUnchanged;
    outcome.certainty = Certainty::kDone;
    outcome.http_status = 200;
    outcome.resource_version = "1";
    outcome.uid = std::string(send.plan->envelope.parent.uid);
    outcome.digest = outcome.result_digest = "v1:" + std::string(32, 'd');
    report.outcomes.push_back(std::move(outcome));
  }
  Step(ReportArrived{send.sequence, std::move(report)});
}

}  // namespace xebec::watcher::bench
