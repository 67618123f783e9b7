// SPDX-License-Identifier: Apache-2.0
#include "common/http/testing/fake_h2.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace xebec::http::testing {
namespace {

enum Type : uint8_t { kData = 0, kHeaders = 1, kSettings = 4, kPing = 6, kGoAwayFrame = 7 };
enum Flag : uint8_t { kEndStream = 1, kAck = 1, kEndHeaders = 4 };

struct Frame {
  uint8_t type;
  uint8_t flags;
  uint32_t stream;
  std::string payload;
};

uint32_t ReadNumber(const std::string& bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = at; i < at + size; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

std::string Number(uint32_t value, int size) {
  std::string out;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
  return out;
}

std::optional<Frame> ReadFrame(Wire& wire) {
  const auto head = wire.ReadExactly(9);
  if (!head) return std::nullopt;
  auto payload = wire.ReadExactly(ReadNumber(*head, 0, 3));
  if (!payload) return std::nullopt;
  return Frame{static_cast<uint8_t>((*head)[3]), static_cast<uint8_t>((*head)[4]),
               ReadNumber(*head, 5, 4), *std::move(payload)};
}

std::string Serialize(const Frame& frame) {
  return Number(static_cast<uint32_t>(frame.payload.size()), 3) + Number(frame.type, 1) +
         Number(frame.flags, 1) + Number(frame.stream, 4) + frame.payload;
}

std::string Answer(uint32_t stream, int connection) {
  const std::string status_200 = "\x88";  // HPACK: entry 8 of the static table
  return Serialize({kHeaders, kEndHeaders, stream, status_200}) +
         Serialize({kData, kEndStream, stream, std::to_string(connection)});
}

std::string Begin(uint32_t stream) {
  return Serialize({kHeaders, kEndHeaders, stream, "\x88"}) + Serialize({kData, 0, stream, "x"});
}

void Talk(Wire& wire, uint32_t stream) {
  wire.Write(Begin(stream));
  Mutex mu;  // so that the pieces come at a pace
  CondVar never;
  MutexLock lock(&mu);
  const absl::Duration end = ReadClock().monotonic + FakeH2::kTalkTime;
  while (ReadClock().monotonic < end && wire.Write(Serialize({kData, 0, stream, "1"}))) {
    never.WaitFor(&mu, absl::Milliseconds(2));
  }
  wire.Write(Serialize({kData, kEndStream, stream, ""}));
}

std::string GoAway(uint32_t last_stream) {
  return Serialize({kGoAwayFrame, 0, 0, Number(last_stream, 4) + Number(0, 4)});
}

bool EndsRequest(const Frame& frame) {
  return (frame.type == kHeaders || frame.type == kData) && (frame.flags & kEndStream) != 0;
}

void Serve(Wire& wire, int connection, const FakeH2::Script& script) {
  constexpr size_t kPrefaceSize = 24;
  if (!wire.ReadExactly(kPrefaceSize)) return;
  wire.Write(Serialize({kSettings, 0, 0, ""}));
  int number = 0;
  while (const auto frame = ReadFrame(wire)) {
    const bool is_ack = (frame->flags & kAck) != 0;
    if (frame->type == kSettings && !is_ack) wire.Write(Serialize({kSettings, kAck, 0, ""}));
    if (frame->type == kPing && !is_ack) wire.Write(Serialize({kPing, kAck, 0, frame->payload}));
    if (!EndsRequest(*frame)) continue;
    const FakeH2::Act act = script(connection, ++number);
    if (act == FakeH2::Act::kFreeze) return wire.Hang();
    if (act == FakeH2::Act::kReset) return wire.Reset();
    if (act == FakeH2::Act::kOpen) wire.Write(Begin(frame->stream));
    if (act == FakeH2::Act::kTalk) Talk(wire, frame->stream);
    if (act != FakeH2::Act::kAnswer && act != FakeH2::Act::kGoAway) continue;
    const std::string answer = Answer(frame->stream, connection);
    const bool ends = act == FakeH2::Act::kGoAway;
    // In one piece: who has the answer knows of the end, too.
    wire.Write(ends ? answer + GoAway(frame->stream) : answer);
    if (ends) return;
  }
}

TlsSettings WithH2(TlsSettings tls) {
  tls.offer_h2 = true;
  return tls;
}

}  // namespace

FakeH2::FakeH2(TlsSettings tls, Script script)
    : script_(std::move(script)),
      server_(WithH2(std::move(tls)),
              [this](Wire& wire, int connection) { Serve(wire, connection, script_); }) {}

}  // namespace xebec::http::testing
