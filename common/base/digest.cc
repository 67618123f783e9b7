// SPDX-License-Identifier: Apache-2.0
#include "common/base/digest.h"

#include <openssl/sha.h>

#include <array>

namespace xebec {

std::string Sha256Hex(std::string_view data) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes;
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), bytes.data());
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::string ShortDigest(std::string_view data, size_t digits) {
  return Sha256Hex(data).substr(0, digits);
}

}  // namespace xebec
