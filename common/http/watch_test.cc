// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/http/http_client.h"
#include "common/http/testing/client_rig.h"

namespace xebec::http {
namespace {

using kube::TransportError;
using testing::Access;
using testing::Ask;
using testing::Chunk;
using testing::ChunkedHead;
using testing::CountBegun;
using testing::FakeServer;
using testing::Get;
using testing::Http;
using testing::ManyWatches;
using testing::ServedRequest;
using testing::StartWatches;
using testing::WatchLog;
using testing::Wire;

constexpr absl::Duration kUnbounded = absl::ZeroDuration();

TEST(Watch, DeliversStatusChunksAndACleanEnd) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    wire.Write(Chunk("one\n"));
    wire.Write(Chunk("two\n"));
    return wire.Write(Chunk(""));
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.statuses(), std::vector<int>{200});
  EXPECT_EQ(log.body(), "one\ntwo\n");
  EXPECT_EQ(log.end().status, 200);
  EXPECT_EQ(log.end().error, TransportError::kNone);
}

TEST(Watch, EndsABatchAfterItsChunks) {
  FakeServer server([](const ServedRequest& request, Wire& wire) {
    if (request.target == "/plain") return wire.Write(Http(200, "ok"));
    wire.Write(absl::StrCat(ChunkedHead(200), Chunk("one\n"), Chunk("two\n")));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  std::string batch;
  std::promise<std::string> first;
  ApiClient::StreamEvents events;
  events.on_chunk = [&](std::string_view chunk) { batch += chunk; };
  events.on_batch_end = [&] { first.set_value(batch); };
  const auto stream = client.Watch(Get("/watch"), kUnbounded, events);
  EXPECT_EQ(first.get_future().get(), "one\ntwo\n");
  EXPECT_EQ(Ask(client, Get("/plain")).body, "ok");  // and no second end: a promise is set once
}

TEST(Watch, GivesItsStatusBeforeAnyEvent) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  std::promise<int> status;
  ApiClient::StreamEvents events;
  events.on_status = [&](int s) { status.set_value(s); };
  const auto stream = client.Watch(Get("/watch"), kUnbounded, events);
  EXPECT_EQ(status.get_future().get(), 200);
}

TEST(Watch, SaysBrokenWhenItIsCut) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    wire.Write(Chunk("one\ntw"));
    return false;
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.body(), "one\ntw");
  EXPECT_EQ(log.end().error, TransportError::kBroken);
}

TEST(Watch, GivesTheBodyOfARefusalAndNoChunk) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    return wire.Write(Http(410, "{\"kind\":\"Status\"}", "Retry-After: 3\r\n"));
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.statuses(), std::vector<int>{410});
  EXPECT_EQ(log.body(), "");
  EXPECT_EQ(log.end().status, 410);
  EXPECT_EQ(log.end().body, "{\"kind\":\"Status\"}");
  EXPECT_EQ(log.end().retry_after, absl::Seconds(3));
}

TEST(Watch, CutsAnEndlessRefusal) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    return wire.Write(Http(500, std::string(1024 * 1024, 'x')));
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.end().status, 500);
  EXPECT_EQ(log.end().body.size(), 64u * 1024);
}

TEST(Watch, EndsAsBrokenWhenNothingArrives) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    wire.Write(Chunk("one\n"));
    return wire.Hang(), false;
  });
  ApiClientOptions options;
  options.watch_idle_timeout = absl::Milliseconds(100);
  ApiClient client(Access(server.url()), options);
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.end().error, TransportError::kBroken);
  EXPECT_NE(log.end().error_message.find("nothing has arrived for 100ms"), std::string::npos)
      << log.end().error_message;
}

/// How often a silent watch had ended when another one of its client, which spoke for longer than
/// the idle limit, was over; the silent one's server has sent `head`.
int EndsBesideABusyOne(const std::string& head) {
  static constexpr absl::Duration kIdle = absl::Seconds(1);
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    if (request.target == "/quiet") return wire.Write(head), wire.Hang(), false;
    wire.Write(ChunkedHead(200));
    const absl::Duration end = ReadClock().monotonic + 1.5 * kIdle;
    while (ReadClock().monotonic < end && wire.Write(Chunk("1"))) std::this_thread::yield();
    return wire.Write(Chunk(""));
  });
  ApiClientOptions options;
  options.watch_idle_timeout = kIdle;
  ApiClient client(Access(server.url()), options);
  WatchLog quiet;
  const auto silent = client.Watch(Get("/quiet"), kUnbounded, quiet.Events());
  std::promise<int> ends;
  ApiClient::StreamEvents events;
  events.on_end = [&](const kube::ApiResponse&) { ends.set_value(quiet.ends()); };
  const auto speaking = client.Watch(Get("/busy"), kUnbounded, events);
  const int ended = ends.get_future().get();
  quiet.AwaitEnd();  // nobody speaks any more
  EXPECT_EQ(quiet.end().error, TransportError::kBroken);
  return ended;
}

// The busy watch has another connection, and says nothing about this one.
TEST(Watch, IsBrokenWhenItsOwnConnectionIsSilent) {
  EXPECT_EQ(EndsBesideABusyOne(ChunkedHead(200) + Chunk("1")), 1);
}

TEST(Watch, ThatHasNotBegunIsBrokenThoughOthersSpeak) { EXPECT_EQ(EndsBesideABusyOne(""), 1); }

TEST(Watch, EndsAtItsBound) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), absl::Milliseconds(100), log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.end().error, TransportError::kTimeout);
}

TEST(Watch, IsSilentAfterCancel) {
  Mutex mu;
  CondVar changed;
  bool go_on = false;
  FakeServer server([&](const ServedRequest& request, Wire& wire) {
    if (request.target == "/plain") return wire.Write(Http(200, ""));
    wire.Write(ChunkedHead(200));
    wire.Write(Chunk("one\n"));
    {
      MutexLock lock(&mu);
      while (!go_on) changed.Wait(&mu);
    }
    wire.Write(Chunk("two\n"));
    return wire.Write(Chunk(""));
  });
  ApiClient client(Access(server.url()), {});
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  log.AwaitBytes(4);
  stream->Cancel();
  {
    MutexLock lock(&mu);
    go_on = true;
    changed.NotifyAll();
  }
  EXPECT_EQ(Ask(client, Get("/plain")).status, 200);
  EXPECT_EQ(log.body(), "one\n");
  EXPECT_EQ(log.ends(), 0);
}

TEST(Watch, MayBeCancelledInItsOwnCallback) {
  FakeServer server([](const ServedRequest& request, Wire& wire) {
    if (request.target == "/plain") return wire.Write(Http(200, ""));
    wire.Write(ChunkedHead(200));
    wire.Write(Chunk("one\n"));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  std::promise<Stream*> handle;
  std::promise<void> cancelled;
  ApiClient::StreamEvents events;
  events.on_chunk = [&](std::string_view) {
    handle.get_future().get()->Cancel();
    cancelled.set_value();
  };
  events.on_end = [](kube::ApiResponse) { ADD_FAILURE() << "ended after Cancel"; };
  const auto stream = client.Watch(Get("/watch"), kUnbounded, events);
  handle.set_value(stream.get());
  cancelled.get_future().wait();
  EXPECT_EQ(Ask(client, Get("/plain")).status, 200);
}

TEST(Watch, MayBeStartedAgainWhenItEnds) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Write(Http(200, "x")); });
  ApiClient client(Access(server.url()), {});
  WatchLog second;
  std::unique_ptr<Stream> next;
  ApiClient::StreamEvents events;
  events.on_end = [&](kube::ApiResponse) {
    next = client.Watch(Get("/again"), kUnbounded, second.Events());
  };
  const auto first = client.Watch(Get("/watch"), kUnbounded, events);
  second.AwaitEnd();
  EXPECT_EQ(second.body(), "x");
}

TEST(Watch, OutlivesItsClientWithoutHarm) {
  FakeServer server([](const ServedRequest&, Wire& wire) { return wire.Hang(), false; });
  WatchLog log;
  std::unique_ptr<Stream> stream;
  {
    ApiClient client(Access(server.url()), {});
    stream = client.Watch(Get("/watch"), kUnbounded, log.Events());
  }
  EXPECT_EQ(log.ends(), 1);
  stream->Cancel();
}

TEST(Watch, ManyThatAreStartedAtOnceAllBegin) {
  FakeServer server([](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  ManyWatches watches = StartWatches(client, 15);
  EXPECT_EQ(CountBegun(&watches), 15);
}

TEST(Watch, DoesNotHinderRequests) {
  FakeServer server([](const ServedRequest& request, Wire& wire) {
    if (request.target == "/plain") return wire.Write(Http(200, "ok"));
    wire.Write(ChunkedHead(200));
    return wire.Hang(), false;
  });
  ApiClient client(Access(server.url()), {});
  std::vector<std::unique_ptr<WatchLog>> logs;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 50; ++i) {
    logs.push_back(std::make_unique<WatchLog>());
    streams.push_back(client.Watch(Get("/watch"), kUnbounded, logs.back()->Events()));
  }
  EXPECT_EQ(Ask(client, Get("/plain")).body, "ok");
}

}  // namespace
}  // namespace xebec::http
