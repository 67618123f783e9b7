// SPDX-License-Identifier: Apache-2.0
// A reflector whose buckets come and go, beside a server that changes, streams that break, lists
// that take their time, and another watcher that hands objects over.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/testing/seeds.h"
#include "gtest/gtest.h"
#include "watcher/engine/cache/reflector/reflector.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/fake_resource.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Bookmark;
using testing::FakeResource;
using testing::UidIn;

constexpr uint32_t kBuckets = 4;
const ResourceType kPods{.group = "", .version = "v1", .kind = "Pod", .plural = "pods"};

int64_t Number(const std::string& version) {
  int64_t number = 0;
  return absl::SimpleAtoi(version, &number) ? number : 0;
}

class World {
 public:
  /// In every other world the objects are parents. Half of their servers select them.
  explicit World(uint32_t seed)
      : random_(seed),
        parents_(seed % 2 == 0),
        server_kind_(parents_ ? kServers[seed / 2 % 4] : ServerKind::kIgnores),
        wanted_(SpecOf(RandomBuckets())) {
    for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) owners_.push_back(UidIn(bucket));
    reflector_ = Reflector(wanted_, {.list_page = 2, .merge_step = 2, .seed = seed});
    Do([](Reflector& r, ReflectorContext& c) { r.Start(c); });
  }

  void Act() {
    now_ += absl::Milliseconds(20);
    switch (Below(16)) {
      case 0:
        return Hold(RandomBuckets());
      case 1:
        return BreakStream();
      case 2:
        return RequireFresh();
      case 3:
        return Tick(/*jump=*/Below(4) == 0);
      case 4:
        return server_.Delete(AnyName());
      case 5:
      case 6:
      case 7:
        return Change();
      default:
        return Deliver(Below(3) == 0);
    }
  }
  /// Nothing changes any more, and everything arrives.
  void Finish() {
    for (int i = 0; i < 400; ++i) {
      now_ += absl::Milliseconds(500);
      Tick(/*jump=*/false);
      Deliver(/*bookmark=*/true);
    }
  }
  size_t selected_watches() const { return selected_watches_; }
  size_t handed_over() const { return handed_over_; }
  bool refuses() const { return server_kind_ == ServerKind::kRefuses; }
  void CheckComplete() {
    Check();
    EXPECT_EQ(reflector_.availability(), Availability::kReady) << reflector_.Explain();
    EXPECT_FALSE(reflector_.cache().scope().active());
    EXPECT_EQ(reflector_.spec(), wanted_);
    size_t kept = 0;
    for (const auto& [name, state] : server_.At(server_.version())) {
      kept += Keeps(state.uid, state.owner) ? 1 : 0;
    }
    EXPECT_EQ(reflector_.store().objects().size(), kept);
    CheckReflects(server_.version(), BucketSet::All(kBuckets));
  }
  /// The laws of every moment.
  void Check() {
    if (reflector_.availability() != Availability::kReady) return;
    const FreshnessBarrier& barrier = reflector_.streams().barrier();
    for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
      const BucketSet one = testing::MakeBuckets({bucket}, kBuckets);
      const int64_t seen = Number(reflector_.cache().SeenOf(one));
      CheckReflects(std::max({seen, Claimed(required_, barrier.fresh_since(), bucket),
                              Claimed(stated_, barrier.seen_since(), bucket)}),
                    one);
    }
  }

 private:
  /// What the server does with shard selectors.
  enum class ServerKind { kIgnores, kSelects, kConfirms, kRefuses };
  static constexpr ServerKind kServers[] = {ServerKind::kIgnores, ServerKind::kSelects,
                                            ServerKind::kConfirms, ServerKind::kRefuses};

  /// Once the cache meets what was required at that time, it reflects the version.
  struct Claim {
    absl::Duration time;
    int64_t version;
    BucketSet buckets;
  };

  struct Stream {
    kube::Projection projection;
    bool selecting = false;  // has a shard selector
    bool list = false;       // StartList
    int64_t seen = 0;
    std::string token = {};
    uint32_t limit = 0;
    bool handed_over = false;  // by another watcher
  };

  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  int64_t Between(int64_t least, int64_t most) {
    return least + Below(static_cast<uint32_t>(1 + most - least));
  }
  std::string AnyName() { return absl::StrCat("o", Below(8)); }
  BucketSet RandomBuckets() {
    BucketSet buckets(kBuckets);
    for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
      if (Below(2) == 0) buckets.Add(bucket);
    }
    return buckets;
  }
  ResourceSpec SpecOf(const BucketSet& buckets) const {
    ResourceSpec spec{kPods, "", "", {}};
    spec.projection.keep = {std::make_shared<const BucketSet>(buckets), parents_, !parents_};
    return spec;
  }
  bool Keeps(const std::string& uid, const std::string& owner) const {
    return reflector_.spec().projection.keep.Keeps(uid, owner, "");
  }
  bool Sends(const Stream& stream, const kube::DecodedObject& object) const {
    return !Selects(stream) || object.json != nullptr;
  }
  bool Selects(const Stream& stream) const {
    return stream.selecting && (server_kind_ == ServerKind::kSelects || Confirms());
  }
  bool Confirms() const { return server_kind_ == ServerKind::kConfirms; }
  bool Refuses(const Stream& stream) const {
    return stream.selecting && server_kind_ == ServerKind::kRefuses;
  }

  template <typename Call>
  void Do(const Call& call) {
    Outputs out;
    StoreChanges changes;
    const kube::BucketFilter held = reflector_.spec().projection.keep;
    ReflectorContext context{
        .now = now_, .last_stream = &last_stream_, .changes = &changes, .out = &out};
    call(reflector_, context);
    for (const Output& output : out) Take(output);
    for (const StoreChange& change : changes) CheckChange(change, held);
    Check();
  }
  void CheckChange(const StoreChange& change, const kube::BucketFilter& held) {
    if (change.type == ChangeType::kForgotten) {
      EXPECT_FALSE(xebec::watcher::Keeps(held, *change.before)) << change.key.name;
    }
    if (change.type != ChangeType::kDeleted) return;
    EXPECT_GT(server_.LeftAt(change.before->uid), 0) << change.key.name << " is not gone";
  }

  void Take(const Output& output) {
    if (std::holds_alternative<Discover>(output)) discovers_ = true;
    if (const auto* stop = std::get_if<StopStream>(&output)) streams_.erase(stop->stream);
    if (const auto* list = std::get_if<StartList>(&output)) {
      streams_[list->stream] = {list->projection,   !list->shard_selector.empty(), true,
                                /*seen=*/0,         list->continue_token,          list->limit,
                                !list->from.empty()};
    }
    const auto* watch = std::get_if<StartWatch>(&output);
    if (watch == nullptr) return;
    const bool selecting = !watch->shard_selector.empty();
    Stream& stream = streams_[watch->stream] = {watch->projection, selecting};
    selected_watches_ += selecting ? 1 : 0;
    stream.seen = Number(watch->resource_version);
  }

  void Hold(const BucketSet& buckets) {
    wanted_ = SpecOf(buckets);
    for (std::vector<Claim>* claims : {&required_, &stated_}) {
      for (Claim& claim : *claims) claim.buckets = claim.buckets.And(buckets);
    }
    const bool from_watcher = Below(2) == 0;
    Do([&](Reflector& r, ReflectorContext& c) {
      if (from_watcher) c.from = "10.0.0.2:7442";
      r.Respecify(wanted_, c);
    });
  }
  void Change() {
    const std::string name = AnyName();
    const auto& states = server_.At(server_.version());
    const auto found = states.find(name);
    const bool same_owner = found != states.end() && Below(6) > 0;
    server_.Write(name, same_owner ? found->second.owner : owners_[Below(kBuckets)]);
  }
  // For some of the buckets, whose objects may still be missing.
  void RequireFresh() {
    const BucketSet buckets = RandomBuckets().And(*wanted_.projection.keep.buckets);
    FreshnessRequired required{now_, std::nullopt, &buckets};
    int64_t version = server_.version();
    const uint32_t kind = Below(3);
    if (kind == 1) required.version = "";
    if (kind == 2) required.version = absl::StrCat(version = Between(0, version));
    (kind == 0 ? required_ : stated_).push_back({now_, version, buckets});
    Do([&](Reflector& r, ReflectorContext& c) { r.RequireFresh(required, c); });
  }
  void Tick(bool jump) {
    const absl::Duration due = reflector_.NextDeadline();
    if (jump && due < now_ + absl::Minutes(2)) now_ = std::max(now_, due);
    if (due <= now_) Do([](Reflector& r, ReflectorContext& c) { r.OnTick(c); });
  }
  void BreakStream() {
    if (streams_.empty()) return;
    const auto it = std::next(streams_.begin(), Below(static_cast<uint32_t>(streams_.size())));
    static const ApiFailure kFailures[] = {{410, "Expired", "", std::nullopt},
                                           {422, "Invalid", "", std::nullopt},
                                           {500, "InternalError", "", std::nullopt}};
    const ApiFailure& failure = kFailures[Below(8) == 0 ? 1 : 2 * Below(2)];
    const bool clean = !it->second.list && Below(3) == 0;
    EndStream(it->first, clean ? std::nullopt : std::optional(failure));
  }
  void EndStream(StreamId stream, std::optional<ApiFailure> failure) {
    const bool list = streams_.at(stream).list;
    streams_.erase(stream);
    Do([&](Reflector& r, ReflectorContext& c) {
      list ? r.OnListFailed({stream, *failure}, c) : r.OnWatchEnded({stream, failure}, c);
    });
  }

  void Deliver(bool bookmark) {
    if (std::exchange(discovers_, false)) {
      Do([](Reflector& r, ReflectorContext& c) { r.OnDiscovered({kPods, true, true, false}, c); });
    }
    std::vector<StreamId> open;
    for (const auto& [id, stream] : streams_) open.push_back(id);
    for (const StreamId id : open) {
      if (Below(2) == 0 || !streams_.contains(id)) continue;
      Stream& stream = streams_.at(id);
      if (Refuses(stream)) {
        EndStream(id, ApiFailure{500, "", "invalid shard selector", std::nullopt});
        continue;
      }
      if (stream.handed_over) {
        TransferObjects(id);
      } else {
        stream.list ? Page(id) : Events(id, stream, bookmark);
      }
    }
  }
  void Events(StreamId id, Stream& stream, bool bookmark) {
    std::vector<kube::WatchEvent> events;
    for (uint32_t i = Below(5); i > 0; --i) {
      if (stream.seen == server_.version()) break;
      kube::WatchEvent event = server_.Event(++stream.seen, stream.projection);
      if (Sends(stream, event.object)) events.push_back(std::move(event));
    }
    const bool all = stream.seen == server_.version();
    if (all && bookmark) events.push_back(Bookmark(absl::StrCat(stream.seen)));
    if (events.empty()) return;
    Do([&](Reflector& r, ReflectorContext& c) { r.OnEvents({id, std::move(events)}, c); });
  }
  // The other watcher may have seen more or less than this one, and shows some objects as they are
  // later.
  void TransferObjects(StreamId id) {
    const Stream stream = streams_.at(id);
    streams_.erase(id);
    const int64_t version = Between(server_.version() * 3 / 4, server_.version());
    const int64_t later = Between(version, server_.version());
    std::map<std::string, std::array<const kube::DecodedObject*, 2>> states;
    const std::array<std::vector<kube::DecodedObject>, 2> lists = {
        server_.List(version, stream.projection), server_.List(later, stream.projection)};
    for (size_t i = 0; i < 2; ++i) {
      for (const kube::DecodedObject& each : lists[i]) states[each.header.name][i] = &each;
    }
    kube::ListPage page;
    page.resource_version = absl::StrCat(version);
    for (const auto& [name, each] : states) {
      const kube::DecodedObject* object = each[Below(2)];
      if (object != nullptr && object->json != nullptr) page.objects.push_back(*object);
    }
    ++handed_over_;
    Do([&](Reflector& r, ReflectorContext& c) { r.OnList({id, std::move(page)}, c); });
  }
  // The token says which version of the list goes on where.
  void Page(StreamId id) {
    const Stream stream = streams_.at(id);
    streams_.erase(id);
    const size_t dash = stream.token.find('-');
    const bool first = stream.token.empty();
    const int64_t version = first ? server_.version() : Number(stream.token.substr(0, dash));
    const auto from = first ? 0u : static_cast<size_t>(Number(stream.token.substr(dash + 1)));
    const std::vector<kube::DecodedObject> all = server_.List(version, stream.projection);
    kube::ListPage page;
    page.resource_version = absl::StrCat(version);
    const size_t end = std::min<size_t>(from + stream.limit, all.size());
    for (size_t i = from; i < end; ++i) {
      if (!Sends(stream, all[i])) continue;
      if (all[i].json == nullptr) {
        ++page.foreign;
      } else {
        page.objects.push_back(all[i]);
      }
    }
    page.sharded = stream.selecting && Confirms();
    if (end < all.size()) {
      page.continue_token = absl::StrCat(version, "-", end);
      page.remaining = all.size() - end;
    }
    Do([&](Reflector& r, ReflectorContext& c) { r.OnList({id, std::move(page)}, c); });
  }

  /// The version that the cache reflects if it meets what was required until the time `met`.
  static int64_t Claimed(const std::vector<Claim>& claims, absl::Duration met, uint32_t bucket) {
    int64_t version = 0;
    for (const Claim& claim : claims) {
      const bool counts = claim.time <= met && claim.buckets.Contains(bucket);
      if (counts) version = std::max(version, claim.version);
    }
    return version;
  }
  /// What is held in these buckets is at least as new as `version`.
  void CheckReflects(int64_t version, const BucketSet& buckets) {
    const kube::BucketFilter keep = SpecOf(buckets).projection.keep;
    const auto concerns = [&](const std::string& uid, const std::string& owner) {
      return Keeps(uid, owner) && keep.Keeps(uid, owner, "");
    };
    const ObjectStore& store = reflector_.store();
    for (const auto& [name, state] : server_.At(version)) {
      if (!concerns(state.uid, state.owner)) continue;
      const StoredObject* stored = store.Find({"default", name});
      // An object of a lost bucket is forgotten later.
      const bool held =
          stored != nullptr && stored->uid == state.uid && Keeps(stored->uid, stored->owner_uid);
      if (held) {
        EXPECT_GE(Number(stored->resource_version), state.version) << name;
      } else {
        EXPECT_GT(server_.LeftAt(state.uid), version) << name << " is missing";
      }
    }
    for (Slot slot = 0; slot < store.objects().end(); ++slot) {
      if (!store.objects().Has(slot)) continue;
      const StoredObject& stored = store.objects().at(slot);
      if (!concerns(stored.uid.str(), stored.owner_uid.str())) continue;
      const int64_t deleted = server_.DeletedAt(stored.uid);
      EXPECT_TRUE(deleted == 0 || deleted > version) << stored.uid.str() << " is deleted";
    }
  }

  std::mt19937 random_;
  const bool parents_;
  const ServerKind server_kind_;
  FakeResource server_;
  Reflector reflector_{{kPods, "", "", {}}, {}};
  ResourceSpec wanted_;
  std::vector<std::string> owners_;  // one of each bucket
  std::map<StreamId, Stream> streams_;
  std::vector<Claim> required_, stated_;
  StreamId last_stream_ = 0;
  absl::Duration now_ = absl::Seconds(100);
  bool discovers_ = false;
  size_t selected_watches_ = 0;
  size_t handed_over_ = 0;
};

TEST(ReflectorBuckets, ThatComeAndGoAreHeldCompletelyOrNotAtAll) {
  size_t selected_watches = 0, handed_over = 0;
  xebec::testing::ForSeeds(1200, [&](uint64_t seed) {
    World world(static_cast<uint32_t>(seed));
    for (int i = 0; i < 250; ++i) world.Act();
    world.Finish();
    world.CheckComplete();
    EXPECT_TRUE(!world.refuses() || world.selected_watches() == 0);
    selected_watches += world.selected_watches();
    handed_over += world.handed_over();
  });
  EXPECT_GT(selected_watches, 0u);
  EXPECT_GT(handed_over, 0u);
}

}  // namespace
}  // namespace xebec::watcher
