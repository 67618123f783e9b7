// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "common/base/strings.h"

namespace xebec::gateway {
namespace {

constexpr int kIpv4Bits = 96;  // of ::ffff:0:0

struct Row {
  const char* range;
  IpClass ip_class;
};

/// The first row that contains an address decides.
constexpr Row kRows[] = {
    {"100.100.100.200", IpClass::kMetadata}, {"192.0.0.192", IpClass::kMetadata},
    {"fd00:ec2::254", IpClass::kMetadata},   {"0.0.0.0/8", IpClass::kUnspecified},
    {"127.0.0.0/8", IpClass::kLoopback},     {"169.254.0.0/16", IpClass::kLinkLocal},
    {"224.0.0.0/4", IpClass::kMulticast},    {"255.255.255.255", IpClass::kMulticast},
    {"240.0.0.0/4", IpClass::kReserved},     {"10.0.0.0/8", IpClass::kPrivate},
    {"172.16.0.0/12", IpClass::kPrivate},    {"192.168.0.0/16", IpClass::kPrivate},
    {"100.64.0.0/10", IpClass::kPrivate},    {"::ffff:0:0/96", IpClass::kPublic},
    {"fe80::/10", IpClass::kLinkLocal},      {"fc00::/7", IpClass::kPrivate},
    {"ff00::/8", IpClass::kMulticast},       {"fec0::/10", IpClass::kReserved},  // site-local
    {"2001::/32", IpClass::kReserved},  // Teredo, which tunnels to other addresses
    {"100::/64", IpClass::kReserved},   // discard
};

struct Block {
  IpRange range;
  IpClass ip_class;
};

const std::vector<Block>& Blocks() {
  static const std::vector<Block> blocks = [] {
    std::vector<Block> parsed;
    for (const Row& row : kRows) parsed.push_back({*ParseRange(row.range), row.ip_class});
    return parsed;
  }();
  return blocks;
}

IpAddress Ipv4At(const IpAddress& address, size_t offset) {
  IpAddress out;
  out.bytes[10] = out.bytes[11] = 0xff;
  std::copy_n(address.bytes.begin() + offset, 4, out.bytes.begin() + 12);
  return out;
}

/// Returns the IPv4 address within an IPv6 address, or the address itself.
IpAddress Unwrap(const IpAddress& address) {
  static const IpRange nat64 = *ParseRange("64:ff9b::/96");
  static const IpRange local_nat64 = *ParseRange("64:ff9b:1::/48");
  static const IpRange six_to_four = *ParseRange("2002::/16");
  static const IpRange compatible = *ParseRange("::/96");
  if (Contains(nat64, address) || Contains(local_nat64, address)) return Ipv4At(address, 12);
  if (Contains(six_to_four, address)) return Ipv4At(address, 2);
  if (Contains(compatible, address)) return Ipv4At(address, 12);
  return address;
}

}  // namespace

std::optional<IpAddress> ParseIp(std::string_view text) {
  const std::string copy(text);
  IpAddress out;
  if (inet_pton(AF_INET6, copy.c_str(), out.bytes.data()) == 1) return out;
  out = {};
  if (inet_pton(AF_INET, copy.c_str(), out.bytes.data() + 12) != 1) return std::nullopt;
  out.bytes[10] = out.bytes[11] = 0xff;
  return out;
}

std::string ToText(const IpAddress& address) {
  static const IpRange mapped = *ParseRange("::ffff:0:0/96");
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (Contains(mapped, address)) {
    inet_ntop(AF_INET, address.bytes.data() + 12, text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size());
  }
  return text.data();
}

std::optional<IpRange> ParseRange(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  const std::optional<IpAddress> first = ParseIp(host);
  if (!first) return std::nullopt;
  IpRange range{*first, 128};
  if (slash == std::string_view::npos) return range;
  int bits = 0;
  const bool v6 = host.find(':') != std::string_view::npos;
  if (!absl::SimpleAtoi(ToAbsl(text.substr(slash + 1)), &bits)) return std::nullopt;
  if (bits < 0 || bits > (v6 ? 128 : 32)) return std::nullopt;
  range.bits = v6 ? bits : bits + kIpv4Bits;
  return range;
}

bool Contains(const IpRange& range, const IpAddress& address) {
  const int whole = range.bits / 8;
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + whole, range.first.bytes.begin()))
    return false;
  const int rest = range.bits % 8;
  if (rest == 0) return true;
  const int mask = 0xff << (8 - rest);
  return ((address.bytes[whole] ^ range.first.bytes[whole]) & mask) == 0;
}

IpClass Classify(const IpAddress& address) {
  if (address == IpAddress()) return IpClass::kUnspecified;
  if (address == *ParseIp("::1")) return IpClass::kLoopback;
  const IpAddress inner = Unwrap(address);
  for (const Block& block : Blocks()) {
    if (Contains(block.range, inner)) return block.ip_class;
  }
  return IpClass::kPublic;
}

const char* Describe(IpClass ip_class) {
  switch (ip_class) {
    case IpClass::kPublic:
      return "a public address";
    case IpClass::kPrivate:
      return "a private address";
    case IpClass::kLoopback:
      return "a loopback address";
    case IpClass::kLinkLocal:
      return "a link-local address";
    case IpClass::kMetadata:
      return "the address of a cloud's metadata service";
    case IpClass::kUnspecified:
      return "an unspecified address";
    case IpClass::kMulticast:
      return "a multicast address";
    case IpClass::kReserved:
      return "a reserved address";
  }
  return "an unknown address";
}

}  // namespace xebec::gateway
