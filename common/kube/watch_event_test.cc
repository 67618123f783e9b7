// SPDX-License-Identifier: Apache-2.0
#include "common/kube/watch_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/kube/testing/decode_line.h"

namespace xebec::kube {
namespace {

using testing::DecodeLine;
using ::testing::HasSubstr;

constexpr char kPod[] =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"shop","uid":"u-1","resourceVersion":"812",)"
    R"("generation":3,"creationTimestamp":"2024-05-01T12:00:00Z","labels":{"app":"web","example.com/parent":"shop"},)"
    R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"Pod\"}\n","xebec.dev/paused":"true",)"
    R"("xebec.dev/reconcile-at":"now","note":"\u00e9 \"q\""},)"
    R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u-n"},)"
    R"({"apiVersion":"example.com/v1alpha1","kind":"Iris","name":"i","uid":"u-i","controller":true}],)"
    R"("managedFields":[{"manager":"x","fieldsV1":{"f:spec":{"f:a":{}}}}],"selfLink":"/x"},)"
    R"("spec":{"containers":[{"name":"c","image":"nginx"}],"nodeName":"n1"},)"
    R"("status":{"phase":"Running","conditions":[{"type":"Ready"}],"deep":{"a":1,"b":2}}})";

std::string Event(const std::string& type, const std::string& object) {
  return absl::StrCat(R"({"type":")", type, R"(","object":)", object, "}");
}

Json KeptOf(const WatchEvent& event) { return ParseJson(*event.object.json).value(); }

TEST(DecodeWatchLine, ReadsTheHeader) {
  Projection projection;
  projection.parent_label = "example.com/parent";
  const auto event = DecodeLine(Event("ADDED", kPod), projection);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kAdded);
  const ObjectHeader& header = event->object.header;
  EXPECT_EQ(header.ns, "shop");
  EXPECT_EQ(header.name, "web-0");
  EXPECT_EQ(header.uid, "u-1");
  EXPECT_EQ(header.resource_version, "812");
  EXPECT_EQ(header.generation, 3);
  EXPECT_FALSE(header.deleting);
  EXPECT_EQ(header.parent_label, "shop");
  EXPECT_EQ(header.paused, "true");
  EXPECT_EQ(header.reconcile_at, "now");
  EXPECT_EQ(header.controller, (ControllerReference{"example.com/v1alpha1", "Iris", "i", "u-i"}));
}

TEST(DecodeWatchLine, CutsManagedFieldsAndNothingElseWithoutFields) {
  const auto event = DecodeLine(Event("MODIFIED", kPod));
  ASSERT_TRUE(event.ok()) << event.status();
  Json expected = ParseJson(kPod).value();
  expected["metadata"].erase("managedFields");
  EXPECT_EQ(KeptOf(*event), expected);
}

TEST(DecodeWatchLine, TellsOfChildrenWhoWroteThemLastStatusAside) {
  const std::string object =
      R"({"metadata":{"name":"a","resourceVersion":"1","managedFields":[)"
      R"({"manager":"irises.example.com","operation":"Apply","time":"2026-01-01T00:00:01Z"},)"
      R"({"manager":"someone-old","operation":"Update","time":"2026-01-01T00:00:01Z"},)"
      R"({"manager":"autoscaler","operation":"Update","time":"2026-01-01T00:00:02Z","fieldsV1":{"f:a":{}}},)"
      R"({"manager":"kcm","operation":"Update","subresource":"status","time":"2026-01-01T00:00:09Z"}],)"
      R"("ownerReferences":[{"apiVersion":"example.com/v1","kind":"Iris","name":"i","uid":"u","controller":true}]}})";
  Projection children;
  children.controller_kinds = {"example.com/v1/Iris"};
  const auto child = DecodeLine(Event("ADDED", object), children);
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(KeptOf(*child)["xebec.dev/last-writer"], "autoscaler");
  const auto parent = DecodeLine(Event("ADDED", object));
  ASSERT_TRUE(parent.ok()) << parent.status();
  EXPECT_FALSE(KeptOf(*parent).contains("xebec.dev/last-writer"));
}

TEST(DecodeWatchLine, KeepsOnlyDeclaredFieldsAndUsefulMetadata) {
  Projection projection;
  projection.fields = {"status.phase", "status.deep.b", "spec.nodeName", "absent.x"};
  const auto event = DecodeLine(Event("MODIFIED", kPod), projection);
  ASSERT_TRUE(event.ok()) << event.status();
  Json expected = ParseJson(kPod).value();
  expected["metadata"].erase("managedFields");
  expected["metadata"].erase("selfLink");
  expected["metadata"]["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
  expected["spec"] = {{"nodeName", "n1"}};
  expected["status"] = {{"phase", "Running"}, {"deep", {{"b", 2}}}};
  EXPECT_EQ(KeptOf(*event), expected);
}

TEST(DecodeWatchLine, KeepsAWholeArrayWhereAPathGoesOnBelowIt) {
  Projection projection;
  projection.fields = {"spec.containers.image"};
  const auto event = DecodeLine(Event("ADDED", kPod), projection);
  ASSERT_TRUE(event.ok()) << event.status();
  const Json kept = KeptOf(*event);
  EXPECT_EQ(kept["spec"]["containers"][0]["name"], "c");
  EXPECT_FALSE(kept.contains("status"));
}

TEST(DecodeWatchLine, GivesCompactBytesForIndentedInput) {
  const std::string indented = ParseJson(Event("ADDED", kPod)).value().dump(4);
  const auto event = DecodeLine(indented);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(*event->object.json, DumpJson(KeptOf(*event)));
}

TEST(DecodeWatchLine, KeepsIntegersAndEscapesExactly) {
  const auto event =
      DecodeLine(R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},)"
                 R"("spec":{"a":9223372036854775807,"b":18446744073709551615,"c":1e400x}}})");
  EXPECT_FALSE(event.ok()) << "a number that is none is no limit of ours";
  const auto exact =
      DecodeLine(R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},)"
                 R"("spec":{"a":9223372036854775807,"b":3.0,"c":"\u0000\/"}}})");
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_NE(exact->object.json->find(R"("spec":{"a":9223372036854775807,"b":3.0,"c":"\u0000\/"})"),
            std::string::npos);
}

TEST(DecodeWatchLine, SeesADeletionTimestamp) {
  const auto event =
      DecodeLine(R"({"object":{"metadata":{"name":"a","resourceVersion":"1","deletionTimestamp":)"
                 R"("2024-05-01T12:00:00Z"}},"type":"DELETED"})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_TRUE(event->object.header.deleting);
}

TEST(DecodeWatchLine, TakesNullForAbsent) {
  const auto event = DecodeLine(
      R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1","labels":null,"annotations":null,)"
      R"("ownerReferences":null,"deletionTimestamp":null,"creationTimestamp":null,"generation":null}}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_FALSE(event->object.header.deleting);
  EXPECT_TRUE(ParseJson(*event->object.json).ok());
}

struct WantCase {
  const char* kind;
  bool wanted;
};

TEST(DecodeWatchLine, DropsTheBytesOfObjectsOfOtherControllers) {
  for (const WantCase& c :
       {WantCase{"example.com/v1alpha1/Iris", true}, WantCase{"example.com/v9/Iris", true},
        WantCase{"example.com/v1/Rose", false}, WantCase{"other.com/v1alpha1/Iris", false},
        WantCase{"v1/Iris", false}}) {
    Projection projection;
    projection.controller_kinds = {c.kind};
    const auto event = DecodeLine(Event("ADDED", kPod), projection);
    ASSERT_TRUE(event.ok()) << event.status();
    EXPECT_EQ(event->object.json != nullptr, c.wanted) << c.kind;
    EXPECT_EQ(event->object.header.name, "web-0");
  }
}

TEST(DecodeWatchLine, KeepsUnrelatedObjectsThatCarryTheParentLabel) {
  Projection projection;
  projection.controller_kinds = {"example.com/v1/Rose"};
  projection.parent_label = "example.com/parent";
  const auto event = DecodeLine(Event("ADDED", kPod), projection);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_NE(event->object.json, nullptr);
}

TEST(DecodeWatchLine, ReadsBookmarks) {
  const auto event =
      DecodeLine(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{)"
                 R"("annotations":{"a":"b"},"resourceVersion":"77"}}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kBookmark);
  EXPECT_EQ(event->object.header.resource_version, "77");
}

TEST(DecodeWatchLine, ReadsErrors) {
  const auto event =
      DecodeLine(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                 R"("status":"Failure","message":"too old","reason":"Expired","code":410}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kError);
  EXPECT_EQ(event->code, 410);
  EXPECT_EQ(event->reason, "Expired");
  EXPECT_EQ(event->message, "too old");
}

TEST(DecodeWatchLine, RefusesEveryTruncation) {
  const std::string line = Event("ADDED", kPod);
  for (size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(DecodeLine(line.substr(0, length)).ok()) << length;
  }
}

TEST(DecodeWatchLine, NamesWhatIsWrong) {
  const std::string name = R"("name":"a","resourceVersion":"1")";
  const auto object = [&](const std::string& rest) {
    return Event("ADDED", absl::StrCat("{\"metadata\":{", name, rest, "}}"));
  };
  const std::pair<std::string, std::string> cases[] = {
      {"", "watch event: expected a JSON object, got \"\""},
      {"[]", "watch event: expected a JSON object, got \"[]\""},
      {"<html>502 Bad Gateway</html>",
       "expected a JSON object, got \"<html>502 Bad Gateway</html>\""},
      {"\xff\xff", "watch event: expected a JSON object, got \"\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {R"({"type":)", "watch event: JSON document ended early"},
      {"{}", "watch event: type"},
      {R"({"type":7,"object":{}})", "watch event: type"},
      {R"({"type":"EXPLODED","object":{}})", "unknown type \"EXPLODED\""},
      {R"({"type":"ADDED"})", "watch event: object"},
      {R"({"type":"ADDED","object":[]})", "watch event: object"},
      {Event("ADDED", "{}"), "metadata.name is missing"},
      {Event("ADDED", R"({"metadata":{"name":"a"}})"), "metadata.resourceVersion is missing"},
      {Event("ADDED", R"({"metadata":7})"), "object.metadata"},
      {Event("ADDED", R"({"metadata":{"name":{}}})"), "object.metadata.name"},
      {Event("ADDED", R"({"metadata":{"name":1}})"), "object.metadata.name"},
      {Event("BOOKMARK", R"({"metadata":{}})"), "bookmark"},
      {Event("BOOKMARK", "{}"), "bookmark"},
      {object(R"(,"generation":99999999999999999999)"), "object.metadata.generation"},
      {object(R"(,"generation":1.5)"), "object.metadata.generation"},
      {object(R"(,"labels":{"a")"), "labels"},
      {object(R"(,"ownerReferences":{})"), "object.metadata.ownerReferences"},
      {object(R"(,"ownerReferences":[1])"), "object.metadata.ownerReferences"},
      {object(R"(,"annotations":[])"), "object.metadata.annotations"},
      {object(",\"x\":\"\xff\""), "watch event"},
      {object("") + object(""), "watch event: unexpected text after the end"},
      {object("") + "}", "watch event: unexpected text after the end"},
      {R"({"type":"ERROR","object":{}} true)", "watch event"},
  };
  for (const auto& [line, text] : cases) {
    const auto event = DecodeLine(line);
    ASSERT_FALSE(event.ok()) << line;
    EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument) << line;
    EXPECT_NE(event.status().ToString().find(text), std::string::npos)
        << line << " -> " << event.status();
  }
}

/// Why the event's object is not shown whole; "" when it is.
std::string Why(const absl::StatusOr<WatchEvent>& event) {
  if (!event.ok()) return std::string(event.status().message());
  return Json::parse(*event->object.json).value("xebec.dev/unreadable", "");
}

std::string Nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(DecodeWatchLine, LimitsNestingOfWhatItKeeps) {
  const auto line = [](size_t levels) {
    return Event("ADDED", absl::StrCat(R"({"metadata":{"name":"a","resourceVersion":"1"},"spec":)",
                                       Nested(levels), "}"));
  };
  EXPECT_EQ(Why(DecodeLine(line(62))), "");
  EXPECT_THAT(Why(DecodeLine(line(64))), HasSubstr("too deep"));
  EXPECT_THAT(Why(DecodeLine(line(100000))), HasSubstr("too deep"));
  Projection nothing;
  nothing.fields = {"status"};
  EXPECT_EQ(Why(DecodeLine(line(1000000), nothing)), "")
      << "the nesting of fields that are not kept does not matter";
}

TEST(DecodeWatchLine, ShowsOfAnObjectBeyondTheLimitsItsHeadAndWhy) {
  const auto object = [](const std::string& spec, const std::string& status) {
    return absl::StrCat(
        R"({"apiVersion":"a/v1","kind":"A","metadata":{"name":"a","resourceVersion":"1"},)",
        R"("spec":)", spec, R"(,"status":)", status, "}");
  };
  const std::string huge = absl::StrCat("\"", std::string(3 << 20, 'x'), "\"");
  for (const std::string& bad : {Nested(100), std::string("100000000000000000000"), huge}) {
    auto event = DecodeLine(Event("MODIFIED", object(bad, R"({"a":1})")));
    ASSERT_TRUE(event.ok()) << event.status();
    EXPECT_EQ(event->object.header.name, "a");
    Json shown = Json::parse(*event->object.json);
    EXPECT_FALSE(shown["xebec.dev/unreadable"].get<std::string>().empty());
    shown.erase("xebec.dev/unreadable");
    EXPECT_EQ(shown, Json::parse(object("0", R"({"a":1})"))
                         .patch(Json::parse(R"([{"op":"remove","path":"/spec"}])")));
    event = DecodeLine(Event("MODIFIED", object("1", bad)));
    ASSERT_TRUE(event.ok()) << event.status();
    EXPECT_TRUE(Json::parse(*event->object.json).at("status").is_null());
  }
}

TEST(DecodeListPage, OneObjectBeyondTheLimitsDoesNotHideTheOthers) {
  const std::string body =
      absl::StrCat(R"({"metadata":{"resourceVersion":"7"},"items":[)",
                   R"({"metadata":{"name":"bad","resourceVersion":"1"},"spec":)", Nested(100),
                   R"(},{"metadata":{"name":"good","resourceVersion":"2"},"spec":1}]})");
  const auto page = DecodeListPage(body, {"g", "v1", "Thing", "things"}, {});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 2u);
  const Json bad = Json::parse(*page->objects[0].json);
  EXPECT_EQ(bad["kind"], "Thing");
  EXPECT_TRUE(bad.contains("xebec.dev/unreadable"));
  EXPECT_EQ(Json::parse(*page->objects[1].json)["spec"], 1);
}

TEST(DecodeWatchLine, RefusesALineBeyondTheLimit) {
  const std::string line =
      Event("ADDED", absl::StrCat(R"({"metadata":{"name":"a","resourceVersion":"1"},"x":")",
                                  std::string(16 * 1024 * 1024, 'x'), R"("})"));
  EXPECT_EQ(DecodeLine(line).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(DecodeWatchLine, SurvivesEverySingleByteFlip) {
  const std::string line = Event("ADDED", kPod);
  Projection projection;
  projection.fields = {"spec", "status.phase"};
  projection.parent_label = "app";
  for (size_t i = 0; i < line.size(); ++i) {
    for (const char c : {'"', '\\', '{', '}', '[', ']', ',', ':', '0', '\0', '\xff', 'n', ' '}) {
      std::string broken = line;
      broken[i] = c;
      for (const Projection& p : {Projection{}, projection}) {
        const auto event = DecodeLine(broken, p);
        if (event.ok() && event->object.json) {
          EXPECT_EQ(event->object.json->find('\n'), std::string::npos);
        }
      }
    }
  }
}

TEST(DecodeListPage, FillsInTheTypeThatItemsLack) {
  const ResourceType type{"apps", "v1", "Deployment", "deployments", false};
  const auto page = DecodeListPage(
      R"({"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9","continue":"tok"},)"
      R"("items":[{"metadata":{"name":"a","namespace":"x","resourceVersion":"3"}},)"
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"b","resourceVersion":"4"}}]})",
      type, {});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "tok");
  ASSERT_EQ(page->objects.size(), 2u);
  for (const DecodedObject& object : page->objects) {
    const Json json = ParseJson(*object.json).value();
    EXPECT_EQ(json["apiVersion"], "apps/v1");
    EXPECT_EQ(json["kind"], "Deployment");
  }
  EXPECT_EQ(page->objects[1].header.name, "b");
}

TEST(DecodeListPage, TakesNullItemsForNone) {
  const auto page =
      DecodeListPage(R"({"items":null,"metadata":{"resourceVersion":"9"}})", ResourceType{}, {});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_TRUE(page->objects.empty());
}

TEST(DecodeListPage, NamesTheItemThatIsWrong) {
  const auto page = DecodeListPage(
      R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","resourceVersion":"3"}},{}]})",
      ResourceType{"", "v1", "Pod", "pods", false}, {});
  ASSERT_FALSE(page.ok());
  EXPECT_NE(page.status().message().find("list item 2"), absl::string_view::npos) << page.status();
}

TEST(DecodeListPage, RefusesWhatIsNoList) {
  for (const char* body :
       {"", "<html>", "{}", R"({"items":[]})", R"({"metadata":{"resourceVersion":"1"}})",
        R"({"items":{},"metadata":{"resourceVersion":"1"}})", R"({"items":[)",
        R"({"items":[],"metadata":{"resourceVersion":"1"}} {})"}) {
    EXPECT_FALSE(DecodeListPage(body, ResourceType{}, {}).ok()) << body;
  }
}

TEST(DecodeListPage, ReadsAPageLargerThanTheKeptBuffers) {
  std::string items;
  for (int i = 0; i < 500; ++i) {
    if (i > 0) items += ",";
    items += kPod;
  }
  const auto page =
      DecodeListPage(absl::StrCat(R"({"metadata":{"resourceVersion":"9"},"items":[)", items, "]}"),
                     ResourceType{"", "v1", "Pod", "pods", false}, {});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 500u);
  EXPECT_EQ(*page->objects[0].json, *page->objects[499].json);
}

TEST(DecodeObject, DecodesTheAnswerToAGet) {
  const auto object = DecodeObject(kPod, {});
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(object->header.name, "web-0");
  EXPECT_EQ(object->json->find("managedFields"), std::string::npos);
  EXPECT_FALSE(DecodeObject(absl::StrCat(kPod, "{}"), {}).ok());
}

}  // namespace
}  // namespace xebec::kube
