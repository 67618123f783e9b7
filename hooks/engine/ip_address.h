// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xebec::gateway {

/// An IPv4 or IPv6 address. An IPv4 address is stored as the IPv6 address ::ffff:a.b.c.d.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};
  auto operator<=>(const IpAddress&) const = default;
};

/// Parses "10.0.0.7" or "fd00::7", without brackets, port and zone.
std::optional<IpAddress> ParseIp(std::string_view text);
std::string ToText(const IpAddress& address);

/// A block of addresses: "10.0.0.0/8".
struct IpRange {
  IpAddress first;
  int bits = 128;  ///< Of the IPv6 form.
  bool operator==(const IpRange&) const = default;
};
/// Parses "10.0.0.0/8", "fd00::/8", or one address.
std::optional<IpRange> ParseRange(std::string_view text);
bool Contains(const IpRange& range, const IpAddress& address);

enum class IpClass {
  kPublic,
  kPrivate,      ///< RFC 1918, RFC 6598 (shared) and unique local addresses, as in clusters.
  kLoopback,     ///< This machine.
  kLinkLocal,    ///< Includes 169.254.169.254, where clouds serve credentials.
  kMetadata,     ///< Other addresses at which clouds serve credentials.
  kUnspecified,  ///< 0.0.0.0/8 and ::, which some systems treat as this machine.
  kMulticast,    ///< Includes broadcast.
  kReserved,
};
/// Classifies an address. IPv6 addresses that contain an IPv4 address (mapped, compatible, NAT64,
/// 6to4) have the class of that address.
IpClass Classify(const IpAddress& address);
/// Returns text for users: "a link-local address".
const char* Describe(IpClass ip_class);

}  // namespace xebec::gateway
