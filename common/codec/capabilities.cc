// SPDX-License-Identifier: Apache-2.0
#include "common/codec/parts.h"

namespace xebec::codec {

void EncodeCapabilities(const Capabilities& in, google::protobuf::RepeatedField<int>* out) {
  if (in.live_list) out->Add(v1::CAPABILITY_LIVE_LIST);
  if (in.ensure_secret) out->Add(v1::CAPABILITY_ENSURE_SECRET);
  if (in.hooks) out->Add(v1::CAPABILITY_HOOKS);
  if (in.event_reads) out->Add(v1::CAPABILITY_EVENT_READS);
  if (out->empty()) out->Add(v1::CAPABILITY_UNSPECIFIED);
}

Capabilities DecodeCapabilities(const google::protobuf::RepeatedField<int>& in) {
  if (in.empty()) return {};  // The request was made by hand.
  Capabilities out{
      .live_list = false, .ensure_secret = false, .hooks = false, .event_reads = false};
  for (const int capability : in) {
    out.live_list |= capability == v1::CAPABILITY_LIVE_LIST;
    out.ensure_secret |= capability == v1::CAPABILITY_ENSURE_SECRET;
    out.hooks |= capability == v1::CAPABILITY_HOOKS;
    out.event_reads |= capability == v1::CAPABILITY_EVENT_READS;
  }
  return out;
}

}  // namespace xebec::codec
