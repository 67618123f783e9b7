// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/packed_json.h"

#include <lz4.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "watcher/engine/cache/store/json_dictionary.h"

namespace xebec::watcher {
namespace {

using Size = uint32_t;

static_assert(LZ4_MAX_INPUT_SIZE <= std::numeric_limits<int>::max());

/// A compressor that has just read the dictionary.
const LZ4_stream_t& Prepared() {
  static const LZ4_stream_t* const kPrepared = [] {
    LZ4_stream_t* stream = LZ4_createStream();
    LZ4_loadDict(stream, kJsonDictionary.data(), static_cast<int>(kJsonDictionary.size()));
    return stream;
  }();
  return *kPrepared;
}

}  // namespace

PackedJson::PackedJson(std::string_view json) {
  if (json.size() > LZ4_MAX_INPUT_SIZE) std::abort();  // answers are limited to far less
  const Size size = static_cast<Size>(json.size());
  const int bound = LZ4_compressBound(static_cast<int>(size));
  const auto packed = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(bound));
  LZ4_stream_t stream = Prepared();
  const int used = LZ4_compress_fast_continue(&stream, json.data(), packed.get(),
                                              static_cast<int>(size), bound, /*acceleration=*/1);
  packed_ = SharedBytes({reinterpret_cast<const char*>(&size), sizeof(size)},
                        {packed.get(), static_cast<size_t>(used)});
}

PackedJson PackedJson::Clone() const {
  PackedJson copy;
  copy.packed_ = SharedBytes(packed_.view(), "");
  return copy;
}

size_t PackedJson::size() const {
  Size size = 0;
  std::memcpy(&size, packed_.view().data(), sizeof(size));
  return size;
}

ObjectBytes PackedJson::Unpack() const {
  const std::string_view packed = packed_.view();
  std::string json(size(), '\0');
  const int got = LZ4_decompress_safe_usingDict(
      packed.data() + sizeof(Size), json.data(), static_cast<int>(packed.size() - sizeof(Size)),
      static_cast<int>(json.size()), kJsonDictionary.data(),
      static_cast<int>(kJsonDictionary.size()));
  if (got < 0 || static_cast<size_t>(got) != json.size()) std::abort();  // memory was overwritten
  return MakeObjectBytes(std::move(json));
}

}  // namespace xebec::watcher
