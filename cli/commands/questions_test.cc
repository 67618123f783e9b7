// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/questions.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/rpc/server/server.h"
#include "common/rpc/server/unary_method.h"
#include "gtest/gtest.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::cli {
namespace {

/// A watcher that knows some parents and shows two on each page. It stops answering after `pages`
/// pages.
class Watcher final : public rpc::Service {
 public:
  Watcher(std::vector<std::string> names, size_t pages) : names_(std::move(names)), pages_(pages) {}

  std::vector<rpc::Method> methods() override {
    return {rpc::UnaryMethod<v1::ListKeysRequest, v1::ListKeysResponse>(
        "/xebec.v1.WatcherService/ListKeys",
        [this](const v1::ListKeysRequest& request, v1::ListKeysResponse* response) {
          return ListKeys(request, response);
        })};
  }
  grpc::Status ListKeys(const v1::ListKeysRequest& request, v1::ListKeysResponse* response) {
    if (served_ == pages_) return {grpc::StatusCode::UNAVAILABLE, "stopping"};
    ++served_;
    const size_t begin = request.page_token().empty() ? 0 : std::stoul(request.page_token());
    for (size_t i = begin; i < std::min(begin + 2, names_.size()); ++i)
      response->add_keys()->mutable_ref()->set_name(names_[i]);
    if (!silent_.empty()) {
      response->add_unanswered()->set_identity(silent_);
      response->mutable_unanswered(0)->set_error("timed out");
    }
    if (begin + 2 < names_.size()) response->set_next_page_token(std::to_string(begin + 2));
    return grpc::Status::OK;
  }
  size_t served() const { return served_; }
  /// Another watcher that does not answer.
  void SetSilent(std::string identity) { silent_ = std::move(identity); }

 private:
  const std::vector<std::string> names_;
  const size_t pages_;
  size_t served_ = 0;
  std::string silent_;
};

class AskForKeysTest : public ::testing::Test {
 protected:
  /// Runs `keys` with those watchers.
  absl::Status Ask(const std::vector<Watcher*>& watchers) {
    std::vector<std::unique_ptr<rpc::Server>> servers;
    Asking asking;
    for (Watcher* watcher : watchers) {
      rpc::ServerOptions options;
      options.listen = {"127.0.0.1:0"};
      servers.push_back(*rpc::Server::Start(options, {watcher}));
      absl::StrAppend(&asking.watcher, asking.watcher.empty() ? "" : ",",
                      servers.back()->addresses()[0]);
    }
    return AskForKeys(asking, "", "", out_, err_);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& line : absl::StrSplit(out_.str(), '\n', absl::SkipEmpty())) {
      const std::vector<std::string> cells = absl::StrSplit(line, ' ', absl::SkipEmpty());
      if (cells[0] != "KIND") names.push_back(cells[0]);
    }
    return names;
  }

  const std::vector<std::string> five_ = {"a", "b", "c", "d", "e"};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(AskForKeysTest, FollowsAllPages) {
  Watcher watcher(five_, 9);
  ASSERT_TRUE(Ask({&watcher}).ok());
  EXPECT_EQ(Names(), five_);
  EXPECT_EQ(watcher.served(), 3u);
}

TEST_F(AskForKeysTest, TheNextWatcherContinuesWhereOneStopped) {
  Watcher one(five_, 1), other(five_, 9);
  ASSERT_TRUE(Ask({&one, &other}).ok());
  EXPECT_EQ(Names(), five_);
  EXPECT_EQ(other.served(), 2u);
}

TEST_F(AskForKeysTest, FailsAfterThePagesThatItGot) {
  Watcher watcher(five_, 2);
  EXPECT_TRUE(absl::IsUnavailable(Ask({&watcher})));
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(AskForKeysTest, WarnsOnceOfAWatcherThatIsMissingFromSeveralPages) {
  Watcher watcher(five_, 9);
  watcher.SetSilent("watcher-b_1_ff");
  ASSERT_TRUE(Ask({&watcher}).ok());
  EXPECT_EQ(Names(), five_);
  EXPECT_EQ(err_.str(),
            "xebec keys: warning: watcher watcher-b did not answer, so the output may be "
            "incomplete: timed out\n");
}

TEST_F(AskForKeysTest, StopsWhenTheOutputCannotBeWritten) {
  Watcher watcher(five_, 9);
  out_.setstate(std::ios::badbit);
  ASSERT_TRUE(Ask({&watcher}).ok());
  EXPECT_EQ(watcher.served(), 1u);
}

}  // namespace
}  // namespace xebec::cli
