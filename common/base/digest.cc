// SPDX-License-Identifier: Apache-2.0
#include "common/base/digest.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace xebec {
namespace {

using Sha256 = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// To look the algorithm up and to make a context take longer than to digest a small text: both
/// happen once.
Sha256 Digest(std::string_view data) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  Sha256 bytes;
  if (algorithm != nullptr && context != nullptr &&
      EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
      EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1 &&
      EVP_DigestFinal_ex(context.get(), bytes.data(), nullptr) == 1) {
    return bytes;
  }
  std::abort();  // out of memory, or an OpenSSL without SHA-256
}

}  // namespace

std::string Sha256Hex(std::string_view data) { return ShortDigest(data, 2 * SHA256_DIGEST_LENGTH); }

std::string ShortDigest(std::string_view data, size_t digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const Sha256 bytes = Digest(data);
  std::string hex;
  hex.reserve(digits);
  for (size_t i = 0; i < std::min(digits, 2 * bytes.size()); ++i) {
    hex.push_back(kDigits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15]);
  }
  return hex;
}

}  // namespace xebec
