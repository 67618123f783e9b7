// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recording.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/commands/message_json.h"
#include "common/codec/codec.h"

namespace xebec::cli {
namespace {

v1::PlanRequest Encode(const Observation& observation, codec::ObjectForm form) {
  v1::PlanRequest request;
  codec::EncodeObservation(observation, form, request.mutable_observation());
  return request;
}

bool IsReadAs(const Observation& observation, const v1::PlanRequest& request) {
  const auto read = codec::DecodeObservation(request.observation());
  return read.ok() && *read == observation;
}

}  // namespace

void Recording::Add(const Observation& observation) {
  v1::PlanRequest request = Encode(observation, codec::ObjectForm::kObject);
  if (!IsReadAs(observation, request)) request = Encode(observation, codec::ObjectForm::kJson);
  absl::StrAppend(&text_, text_.empty() ? "" : "---\n", MessageJson(request));
}

absl::Status Recording::Write(const std::string& file) const {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text_;
  out.close();
  if (out) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", file));
}

}  // namespace xebec::cli
