// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/message_queue.h"

#include <vector>

#include "common/base/overloaded.h"

namespace xebec::watcher {
namespace {

/// The size of a decoded object, an operation or an outcome without its JSON: its header, and its
/// share of the containers around it.
constexpr size_t kPerObject = 512;
/// The size of a message without objects.
constexpr size_t kPerMessage = 256;

size_t BytesOf(const kube::DecodedObject& object) {
  return kPerObject + (object.json == nullptr ? 0 : object.json->size());
}

size_t BytesOf(const std::vector<kube::DecodedObject>& objects) {
  size_t bytes = 0;
  for (const kube::DecodedObject& object : objects) bytes += BytesOf(object);
  return bytes;
}

size_t BytesOf(const std::vector<kube::WatchEvent>& events) {
  size_t bytes = 0;
  for (const kube::WatchEvent& event : events) bytes += BytesOf(event.object);
  return bytes;
}

size_t BytesOf(const ObjectBytes& object) { return object == nullptr ? 0 : object->size(); }

size_t BytesOf(const Operation& operation) {
  const Apply* apply = std::get_if<Apply>(&operation.action);
  return kPerObject + (apply == nullptr ? 0 : BytesOf(apply->object));
}

size_t BytesOf(const Plan& plan) {
  size_t bytes = plan.children.size() * kPerObject;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) bytes += BytesOf(operation);
  }
  for (const HookRequest& each : plan.hook_requests)
    bytes += kPerObject + each.call.sync_request.size();
  if (!plan.status) return bytes;
  return bytes + BytesOf(plan.status->object) + BytesOf(plan.status->amendments) +
         BytesOf(plan.status->observed);
}

size_t BytesOf(const Report& report) {
  size_t bytes = 0;
  for (const Outcome& each : report.outcomes) bytes += kPerObject + each.message.size();
  return bytes;
}

size_t BytesOf(const HookReply& reply) {
  const std::string* answer = std::get_if<std::string>(&reply.result);
  return answer == nullptr ? 0 : answer->size();
}

size_t BytesOf(const Input& input) {
  return std::visit(
      Overloaded{[](const EventsArrived& arrived) { return BytesOf(arrived.events); },
                 [](const ListArrived& arrived) { return BytesOf(arrived.page.objects); },
                 [](const LiveArrived& arrived) { return BytesOf(arrived.objects); },
                 [](const PlanArrived& arrived) { return BytesOf(arrived.plan); },
                 [](const ReportArrived& arrived) { return BytesOf(arrived.report); },
                 [](const HookAnswered& answered) { return BytesOf(answered.reply); },
                 [](const auto&) { return size_t{0}; }},
      input);
}

}  // namespace

size_t BytesOf(const Message& message) {
  const Input* input = std::get_if<Input>(&message);
  return kPerMessage + (input == nullptr ? 0 : BytesOf(*input));
}

}  // namespace xebec::watcher
