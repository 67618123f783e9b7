// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "common/base/shared_bytes.h"
#include "common/model/object.h"

namespace xebec::watcher {

/// The JSON of one object, compressed by LZ4 with a dictionary of what most objects contain
/// (docs/adr/0035-compress-stored-objects.md). Immutable and shared: a copy copies no bytes. Equal
/// if the JSON is equal. A value; every function can be called by several threads.
class PackedJson {
 public:
  /// No JSON: nothing but assignment and comparison is allowed.
  PackedJson() = default;
  explicit PackedJson(std::string_view json);

  /// Returns the JSON. Each call decompresses it.
  ObjectBytes Unpack() const;
  /// The size of the JSON.
  size_t size() const;
  /// Returns a copy with bytes of its own.
  PackedJson Clone() const;
  /// The bytes that are stored.
  const SharedBytes& packed() const { return packed_; }

  bool operator==(const PackedJson&) const = default;

 private:
  /// The size of the JSON as 4 bytes in the byte order of the machine, then the compressed JSON.
  SharedBytes packed_;
};

}  // namespace xebec::watcher
