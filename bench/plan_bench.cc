// SPDX-License-Identifier: Apache-2.0
// The way of an observation through the services without their threads and connections: the watch
// lines of its objects, its message, the planner from its bytes to the bytes of the plan, and the
// plan's message. CPU time and allocations of each part, for the golden observations and for
// PodSets of 100 Pods.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/codec/codec.h"
#include "common/kube/watch_event.h"
#include "planner/core/make_plan.h"
#include "tests/interaction/golden_files.h"

namespace {

size_t allocations = 0, allocated_bytes = 0;

void* Allocate(size_t size) {
  ++allocations;
  allocated_bytes += size;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace xebec::bench {
namespace {

constexpr int kRounds = 30;

struct Cost {
  double us = 0;
  size_t allocations = 0, bytes = 0;
};

double CpuMicroseconds() {
  struct timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// The quickest of many rounds: other processes use the machine too.
Cost Measure(int times, const std::function<void()>& work) {
  work();
  Cost cost;
  const size_t count_before = allocations, bytes_before = allocated_bytes;
  work();
  cost.allocations = allocations - count_before;
  cost.bytes = allocated_bytes - bytes_before;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = CpuMicroseconds();
    for (int i = 0; i < times; ++i) work();
    const double us = (CpuMicroseconds() - begin) / times;
    cost.us = round == 0 ? us : std::min(cost.us, us);
  }
  return cost;
}

std::string BytesOf(const Observation& observation) {
  v1::Observation message;
  codec::EncodeObservation(observation, codec::ObjectForm::kJson, &message);
  return message.SerializeAsString();
}

Observation Decode(const std::string& bytes) {
  v1::Observation message;
  if (!message.ParseFromString(bytes)) std::abort();
  return *codec::DecodeObservation(message);
}

void DecodePlanBytes(const std::string& bytes) {
  v1::Plan message;
  if (!message.ParseFromString(bytes) || !codec::DecodePlan(message).ok()) std::abort();
}

std::string Encode(const Plan& plan) {
  v1::Plan message;
  codec::EncodePlan(plan, codec::ObjectForm::kJson, &message);
  return message.SerializeAsString();
}

/// Calls `use(object)` for the parent and each child.
template <typename Use>
void ForEachObject(const Observation& observation, const Use& use) {
  use(*observation.parent);
  for (const ObjectGroup& group : observation.children) {
    for (const ObjectBytes& object : group.objects) use(*object);
  }
}

Json FieldsV1(const Json& value) {
  Json fields = Json::object();
  if (!value.is_object()) return fields;
  for (const auto& [key, member] : value.items()) fields["f:" + key] = FieldsV1(member);
  return fields;
}

/// The lines of a watch that shows the objects, as an API server writes them.
std::vector<std::string> WatchLines(const Observation& observation) {
  std::vector<std::string> lines;
  ForEachObject(observation, [&](const std::string& text) {
    Json object = *ParseJson(text);
    const Json fields = FieldsV1(object);
    object["metadata"]["managedFields"] = Json::array({{{"manager", "irises.example.com"},
                                                        {"operation", "Apply"},
                                                        {"apiVersion", object["apiVersion"]},
                                                        {"time", "2026-01-01T00:00:00Z"},
                                                        {"fieldsType", "FieldsV1"},
                                                        {"fieldsV1", fields}}});
    std::string line = DumpJson({{"type", "MODIFIED"}, {"object", object}});
    line.append(kube::kLinePadding, ' ');
    lines.push_back(std::move(line));
  });
  return lines;
}

/// `own`: all parents are in this watcher's buckets. Otherwise, none is.
void DecodeLines(const std::vector<std::string>& lines, bool own) {
  kube::Projection projection{
      .fields = {"spec", "status"},
      .controller_kinds = {"example.com/v1alpha1/Iris", "app.example.com/v1alpha1/PodSet"}};
  if (!own) projection.keep = {std::make_shared<const BucketSet>(128), true, true};
  for (const std::string& line : lines) {
    const std::string_view text(line.data(), line.size() - kube::kLinePadding);
    if (!kube::DecodeWatchLine(text, projection).ok()) std::abort();
  }
}

void ParseObjects(const Observation& observation) {
  ForEachObject(observation, [](const std::string& text) {
    if (!ParseJson(text).ok()) std::abort();
  });
}

void Print(const std::string& name, const std::string& part, const Cost& cost) {
  std::printf("%-32s %-8s %9.2f us %7zu allocations %9zu bytes\n", name.c_str(), part.c_str(),
              cost.us, cost.allocations, cost.bytes);
}

/// watch: decodes the watch lines of all objects. others: the same in a watcher that holds other
/// buckets. observe: encodes the observation. decode, plan
/// and encode: the planner's parts; json: what `plan` takes to parse the objects. take: decodes the
/// plan. planner: decode, plan and encode together.
void MeasurePlan(const std::string& name, const Observation& observation, int times) {
  static const planner::KindRegistry kinds = golden::Kinds();
  const std::string bytes = BytesOf(observation);
  const Plan plan = planner::MakePlan(observation, kinds);
  const std::string plan_bytes = Encode(plan);
  const std::vector<std::string> lines = WatchLines(observation);
  Print(name, "watch", Measure(times, [&] { DecodeLines(lines, /*own=*/true); }));
  Print(name, "others", Measure(times, [&] { DecodeLines(lines, /*own=*/false); }));
  Print(name, "observe", Measure(times, [&] { BytesOf(observation); }));
  Print(name, "decode", Measure(times, [&] { Decode(bytes); }));
  Print(name, "json", Measure(times, [&] { ParseObjects(observation); }));
  Print(name, "plan", Measure(times, [&] { planner::MakePlan(observation, kinds); }));
  Print(name, "encode", Measure(times, [&] { Encode(plan); }));
  Print(name, "take", Measure(times, [&] { DecodePlanBytes(plan_bytes); }));
  Print(name, "planner", Measure(times, [&] { Encode(planner::MakePlan(Decode(bytes), kinds)); }));
}

/// The Pods of a plan as the API server shows them, with the status of `pod`.
std::vector<ObjectBytes> PodsOf(const Plan& plan, const Json& pod) {
  std::vector<ObjectBytes> pods;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      Json object = *ParseJson(*std::get<Apply>(operation.action).object);
      object["metadata"]["uid"] = absl::StrCat("uid-", operation.target.name);
      object["metadata"]["resourceVersion"] = absl::StrCat(1000 + pods.size());
      object["status"] = pod["status"];
      pods.push_back(MakeObjectBytes(DumpJson(object)));
    }
  }
  return pods;
}

void MeasurePodSetOf100() {
  Observation observation = *golden::ReadObservation("podset_idle");
  const Json pod = *ParseJson(*observation.children[0].objects[0]);
  Json parent = *ParseJson(*observation.parent);
  parent["spec"] = {{"replicas", 100}};
  observation.parent = MakeObjectBytes(DumpJson(parent));
  observation.children[0].objects.clear();
  MeasurePlan("podset_of_100_new", observation, 3);
  const Plan plan = planner::MakePlan(observation, golden::Kinds());
  observation.children[0].objects = PodsOf(plan, pod);
  MeasurePlan("podset_of_100_pods_ready", observation, 3);
}

}  // namespace
}  // namespace xebec::bench

/// Usage, in the project's root: xebec-bench-plan [NAME...], golden observations without their
/// suffix; without any all and PodSets of 100.
int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) {
    names = xebec::golden::Names();
    xebec::bench::MeasurePodSetOf100();
  }
  for (const std::string& name : names) {
    if (name == "podset_of_100") {
      xebec::bench::MeasurePodSetOf100();
      continue;
    }
    const auto observation = xebec::golden::ReadObservation(name);
    if (!observation.ok()) return std::printf("%s: no such observation\n", name.c_str()), 1;
    xebec::bench::MeasurePlan(name, *observation, 100);
  }
  return 0;
}
