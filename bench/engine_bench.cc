// SPDX-License-Identifier: Apache-2.0
// Feeds the watcher's engine with many objects, as an API server and planners would, without
// either: cost of an event, longest step, memory of a child, memory during a relist and a failover.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine_world.h"

namespace xebec::watcher::bench {
namespace {

constexpr size_t kEvents = 20'000;
constexpr double kMaxBytesBesideJson = 700;  // of a child

double Megabytes(size_t bytes) { return static_cast<double>(bytes) / (1024 * 1024); }

double BytesSince(size_t before, size_t objects) {
  return (static_cast<double>(Allocated()) - static_cast<double>(before)) /
         static_cast<double>(objects);
}

using Bring = void (EngineWorld::*)(size_t);
struct KindOfEvent {
  const char* name;
  Bring bring;
};
constexpr KindOfEvent kKindsOfEvents[] = {
    {"child event with plan", &EngineWorld::ChangeChildren},
    {"parent event with plan", &EngineWorld::ChangeParents},
    {"unrelated object's event", &EngineWorld::ChangeUnrelated},
};

/// CPU time of one event in microseconds, the mean of so many.
double EventCost(EngineWorld* world, Bring bring, size_t events) {
  world->ResetFigures();
  (world->*bring)(events);
  return absl::ToDoubleMicroseconds(world->total()) / static_cast<double>(events);
}

/// Prints the longest step and the memory of what happens to all objects. Idle is what is allocated
/// before or afterwards, whichever is more.
void PrintSteps(const char* what, EngineWorld* world, size_t objects,
                const std::function<void()>& happen) {
  const size_t before = Allocated();
  world->ResetFigures();
  happen();
  const size_t idle = std::max(before, Allocated());
  std::printf("  %-28s %7.2f us/object, longest step %6.2f ms; peak %.2f times the idle %.1f MiB\n",
              what, absl::ToDoubleMicroseconds(world->total()) / static_cast<double>(objects),
              absl::ToDoubleMilliseconds(world->longest()),
              static_cast<double>(world->peak()) / static_cast<double>(idle), Megabytes(idle));
}

/// CPU time of making the name of an object and reading the object, which read(name) does. The next
/// name depends on what was read, so that the CPU waits for its memory.
absl::Duration TimeNames(size_t objects, const std::function<bool(const ObjectKey&)>& read) {
  const absl::Duration begin = CpuTime();
  size_t next = 0;
  for (size_t i = 0; i < kEvents; ++i) {
    next = (i * kStride + (read(NameOf(i % 2 == 0, next)) ? 1 : 0)) % (objects / 2);
  }
  return CpuTime() - begin;
}

/// What an event pays at least for each object that it concerns: the object is found by name, and
/// one field and one byte are read.
void PrintLookup(size_t objects) {
  ObjectTable table;
  for (size_t i = 0; i < objects; ++i) {
    const kube::DecodedObject object = MakeObject(i % 2 == 0, i / 2, 1 + i);
    table.Add(NameOf(i % 2 == 0, i / 2), ToStored(object));
  }
  const auto read = [&](const ObjectKey& name) {
    const StoredObject& object = table.at(*table.Find(name));
    return object.generation == 1 && object.json.packed().view().back() != 0;
  };
  const absl::Duration names =
      TimeNames(objects, [](const ObjectKey& name) { return !name.ns.empty(); });
  std::printf("  %-28s %7.2f us\n", "lookup and read of an object",
              absl::ToDoubleMicroseconds(TimeNames(objects, read) - names) / kEvents);
}

/// CPU time of a question, of which `ask` asks one about the parent of that number.
void PrintQuestion(const char* what, size_t parents, const std::function<bool(size_t)>& ask) {
  constexpr size_t kQuestions = 2'000;
  size_t unanswered = 0;
  const absl::Duration begin = CpuTime();
  for (size_t i = 0; i < kQuestions; ++i) unanswered += ask(i * kStride % parents) ? 0 : 1;
  std::printf("  %-28s %7.2f us\n", what,
              absl::ToDoubleMicroseconds(CpuTime() - begin) / kQuestions);
  if (unanswered > 0) std::printf("%zu questions had no answer\n", unanswered);
}

void PrintScrape(const EngineWorld& world, size_t parents) {
  PrintQuestion("a scrape", parents,
                [&](size_t) { return !world.engine().Figures(world.now()).controllers.empty(); });
}

/// What users and Prometheus ask a watcher.
void PrintQuestions(const EngineWorld& world, size_t parents) {
  constexpr size_t kPage = 100;
  const auto any = [](const ResourceType&) { return true; };
  PrintQuestion("xebec explain", parents, [&](size_t number) {
    return !world.engine().Find(any, NameOf(false, number)).empty();
  });
  PrintQuestion("xebec observation", parents, [&](size_t number) {
    return world.engine().Observe(ParentAt(number), world.now()).has_value();
  });
  std::string token;
  PrintQuestion("xebec keys, each 100 parents", parents, [&](size_t) {
    KeyPage page = world.engine().List(any, "", token, kPage);
    token = std::move(page.next);
    return !page.keys.empty();
  });
  PrintScrape(world, parents);
}

void PrintAllEvents(EngineWorld* world) {
  for (const auto& [name, bring] : kKindsOfEvents) {
    (world->*bring)(kEvents / 10);
    const double cost = EventCost(world, bring, kEvents);
    std::printf("  %-28s %7.2f us, longest step %6.2f ms\n", name, cost,
                absl::ToDoubleMilliseconds(world->longest()));
  }
}

/// Of `objects` half are parents.
void Measure(size_t objects) {
  const size_t children = objects / 2;
  std::printf("%zu objects\n", objects);
  PrintLookup(objects);
  EngineWorld world(children, /*election=*/false);
  world.with_children = false;
  PrintSteps("list of parents", &world, children, [&] { world.Run(); });
  world.with_children = true;
  const size_t before = Allocated();
  PrintSteps("list of children", &world, children, [&] { world.ExpireWatch(); });
  const double whole = BytesSince(before, children);
  const double stored = static_cast<double>(PackedBytes(children)) / static_cast<double>(children);
  PrintAllEvents(&world);
  PrintQuestions(world, children);
  PrintSteps("relist", &world, children, [&] { world.ExpireWatch(); });
  PrintSteps("list that breaks off", &world, children, [&] { world.BreakList(); });
  world.ExpireWatch();
  PrintSteps("revision move", &world, children, [&] { world.Upgrade("r2", {"spec", "status"}); });
  if (world.revision() != "r2") std::printf("the move did not happen\n");
  PrintSteps("wider projection", &world, children, [&] {
    world.Upgrade("r3", {"data", "spec", "status"});
  });
  if (world.revision() != "r3") std::printf("the move did not happen\n");
  const size_t without_outcomes = Allocated();
  world.ApplyAll();
  const double applied = whole + BytesSince(without_outcomes, children);
  std::printf("  %-28s %4.0f, with the outcome of its apply %4.0f; its JSON %zu, stored as %.0f\n",
              "bytes of a child", whole, applied, MakeObject(true, 0, 1).json->size(), stored);
  if (applied - stored > kMaxBytesBesideJson) std::printf("a child needs too many bytes\n");
  const size_t with_children = Allocated();
  PrintSteps("drop of the children", &world, children, [&] { world.DropChildren("r4"); });
  const bool dropped =
      world.revision() == "r4" && Allocated() + PackedBytes(children) < with_children;
  if (!dropped) std::printf("the drop did not happen\n");
}

void MeasureFailover(size_t objects) {
  EngineWorld world(objects / 2, /*election=*/true);
  world.Run();
  PrintSteps("failover", &world, objects / 2, [&] { world.TakeOver(); });
  const bool happened = world.leads() && world.planned() >= objects / 2;
  if (!happened) std::printf("the failover did not happen\n");
}

/// An event concerns one of the watches, of which each namespace has one for parents and one for
/// children.
void MeasureNamespaces(size_t namespaces) {
  constexpr size_t kChildren = 1'000;
  std::printf("%zu objects, %zu watches\n", 2 * kChildren, 2 * namespaces);
  EngineWorld world(kChildren, /*election=*/false, namespaces);
  world.Run();
  PrintAllEvents(&world);
  PrintScrape(world, kChildren);
}

std::unique_ptr<EngineWorld> MakeWorld(size_t objects) {
  auto world = std::make_unique<EngineWorld>(objects / 2, /*election=*/false);
  world->Run();
  return world;
}

/// Prints the median of the costs of an event with `many` objects, as multiples of the cost with
/// `few`. Other users of the machine's memory and caches slow both down, so the two alternate.
void MeasureGrowth(size_t few, size_t many) {
  constexpr size_t kRounds = 7;
  std::printf("%zu objects in turns with %zu objects: median of %zu rounds\n", many, few, kRounds);
  const auto small = MakeWorld(few), large = MakeWorld(many);
  for (const auto& [name, bring] : kKindsOfEvents) {
    std::vector<double> ratios;
    for (size_t i = 0; i < kRounds; ++i) {
      const double cost = EventCost(small.get(), bring, kEvents / 2);
      ratios.push_back(EventCost(large.get(), bring, kEvents / 2) / cost);
    }
    std::sort(ratios.begin(), ratios.end());
    std::printf("  %-28s %.2f times the cost (%.2f to %.2f)\n", name, ratios[kRounds / 2],
                ratios.front(), ratios.back());
  }
}

}  // namespace
}  // namespace xebec::watcher::bench

/// Usage: xebec-bench-engine [OBJECTS...]; without any 1,000 to 1,000,000.
///        xebec-bench-engine --growth: how the cost of an event grows with the objects.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc > 1 && std::string_view(argv[1]) == "--growth") {
    for (const size_t many : {size_t{100'000}, size_t{1'000'000}}) {
      xebec::watcher::bench::MeasureGrowth(10'000, many);
    }
    return 0;
  }
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1'000, 10'000, 50'000, 100'000, 1'000'000};
  for (const size_t size : sizes) {
    xebec::watcher::bench::Measure(std::max<size_t>(2, size));
    xebec::watcher::bench::MeasureFailover(std::max<size_t>(2, size));
  }
  for (const size_t namespaces : {size_t{100}, size_t{1'000}}) {
    xebec::watcher::bench::MeasureNamespaces(namespaces);
  }
  return 0;
}
