// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hooks/service/hook_link.h"
#include "hooks/service/link_target.h"

namespace xebec::gateway {

/// A hook over HTTP: the JSON form of unary calls in the Connect protocol. It has no connection of
/// its own, so on_lost never runs.
class HttpLink final : public HookLink, public std::enable_shared_from_this<HttpLink> {
 public:
  HttpLink(const LinkSite& site, const struct Open& open, LinkEvents events);

  void Open() override;
  void Send(uint64_t call, const std::string& request, absl::Duration timeout) override;
  void Cancel(uint64_t call) override;
  void Retire() override {}
  void Close() override;

 private:
  class Post;
  using OnBody = std::function<void(const CallFacts& facts, std::string body)>;
  using OnFailure = std::function<void(HookFailure)>;

  std::shared_ptr<Post> MakePost(const char* method, absl::Duration timeout);
  void Described(const OpenResult& result);
  void Answered(uint64_t call, CallResult result);

  const LinkSite site_;
  const struct Open open_;
  LinkEvents events_;
  LinkTarget to_;
  bool closed_ = false;
  std::shared_ptr<Post> describe_;
  std::map<uint64_t, std::shared_ptr<Post>> calls_;
};

}  // namespace xebec::gateway
