// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher::testing {

/// A reflector that holds the children of buckets 0 and 3 and watches from version 10, with the
/// object "a" of bucket 0 at version 5.
class BucketsReflectorTest : public ReflectorTest {
 protected:
  BucketsReflectorTest() {
    reflector_ = Reflector(Spec({0, 3}), {.merge_step = 2});
    Start();
    Events({Added(Child("a", "5", 0)), ListEnd("10")});
    watch_ = Stream();
  }
  static ResourceSpec Spec(std::initializer_list<uint32_t> buckets, uint32_t count = 4) {
    ResourceSpec spec{kPods, "", "", {}};
    spec.projection.keep = Children(buckets, count);
    return spec;
  }
  /// The child of a parent of that bucket.
  static kube::DecodedObject Child(const std::string& name, const std::string& version,
                                   uint32_t bucket) {
    return MakeObject(name, "u" + name, version, UidIn(bucket));
  }
  /// The same as a watch shows it that does not keep it.
  static kube::DecodedObject Header(const std::string& name, const std::string& version,
                                    uint32_t bucket) {
    kube::DecodedObject object = Child(name, version, bucket);
    object.json = nullptr;
    return object;
  }
  bool Holds(std::initializer_list<uint32_t> buckets) const {
    return reflector_.availability() == Availability::kReady && reflector_.spec() == Spec(buckets);
  }

  StreamId watch_ = 0;
};

}  // namespace xebec::watcher::testing
