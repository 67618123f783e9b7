// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// Where a key is on its way; proto/xebec/v1/watcher.proto says what each means.
enum class KeyState { kRest, kQueued, kDelayed, kPlanning, kApplying, kGated, kReading };

/// A parent as people ask for it.
struct KeyView {
  ObjectRef ref;
  std::string uid;
  KeyState state = KeyState::kRest;
  std::vector<std::string> reasons;
  uint32_t failures = 0;
  absl::Time next = absl::InfiniteFuture();
  std::string explanation;
  std::vector<std::string> waiting_for;
  std::vector<Outcome> last_outcomes;
};

struct EngineCore;

/// Everything that the watcher decides, behind one door (design §5). A single-threaded value: no
/// clock, threads, sockets or randomness; copyable; the same inputs give the same outputs.
class Engine {
 public:
  /// `identity` is fresh for every process.
  Engine(Options options, std::string identity);
  Engine(const Engine& other);
  Engine(Engine&& other) noexcept;
  Engine& operator=(const Engine& other);
  Engine& operator=(Engine&& other) noexcept;
  ~Engine();

  /// Takes one input and says what to do. `now.monotonic` never goes back from call to call.
  Outputs Step(const Instant& now, Input input);

  /// When a Tick is due at the latest (monotonic); InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;

  /// Initial lists are complete, and every kind that is served is watched.
  bool Synced() const;
  /// What stands in the way of that, for people.
  std::vector<std::string> Unsynced() const;
  /// This process may send plans of that bucket.
  bool Leads(uint32_t bucket = 0) const;

  /// The parents that `wanted` is true of (all without it), sorted; only these cost anything.
  std::vector<KeyView> Keys(const std::function<bool(const ObjectRef&)>& wanted = {}) const;
  /// The observation that would be sent now; nullopt for an unknown key.
  std::optional<Observation> Observe(const ObjectRef& ref, const Instant& now) const;
  /// Figures for metrics; costs a look at every key and watch.
  EngineFigures Figures(const Instant& now) const;

  /// Compares content: engines that were fed the same inputs are equal.
  bool operator==(const Engine& other) const;

 private:
  std::unique_ptr<EngineCore> core_;
};

}  // namespace xebec::watcher
