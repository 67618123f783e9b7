// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/peer_call.h"

namespace xebec::watcher {

PeerActivityCall::PeerActivityCall(const PeerLine& line, const v1::WatchActivityRequest& request,
                                   ActivityCallbacks callbacks)
    : PeerCall(rpc::MakeStreamContext()),
      stub_(line.channel),
      call_(*line.observer, kPeerService, "WatchActivity", "server_stream"),
      callbacks_(std::move(callbacks)),
      reader_(stub_.PrepareAsyncWatchActivity(context(), request, line.queue)) {}

void PeerActivityCall::Start() {
  call_.Started();
  reader_->StartCall(static_cast<PeerCall*>(this));
}

void PeerActivityCall::Read() {
  state_ = State::kReading;
  activity_.Clear();
  reader_->Read(&activity_, static_cast<PeerCall*>(this));
}

bool PeerActivityCall::OnEvent(bool ok) {
  if (state_ == State::kFinishing) {
    call_.Handled(status_);
    callbacks_.on_end(rpc::FromGrpc(status_));
    return false;
  }
  if (state_ == State::kReading && ok) {
    call_.Received();
    callbacks_.on_activity(std::move(activity_));
  }
  if (ok) {
    Read();
  } else {
    state_ = State::kFinishing;
    reader_->Finish(&status_, static_cast<PeerCall*>(this));
  }
  return true;
}

}  // namespace xebec::watcher
