// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/outcome_table.h"

#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "applier/engine/outcomes/live_table.h"
#include "applier/engine/testing/fake_api_server.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using kube::TransportError;
using testing::StatusAnswer;

const Json& Desired() {
  static const auto& json = *new Json(*ParseJson(
      R"({"metadata":{"name":"web"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"c"}]}}}})"));
  return json;
}

const ObjectRef& Web() {
  static const auto& ref =
      *new ObjectRef{{"apps", "v1", "Deployment", "deployments"}, "default", "web"};
  return ref;
}

Json Named(const std::string& kind = "deployments") { return {{"name", "web"}, {"kind", kind}}; }
Json Blaming(const std::string& field, const std::string& type = "FieldValueInvalid") {
  return {{"name", "web"}, {"causes", {{{"reason", type}, {"field", field}, {"message", "m"}}}}};
}

/// An answer as the API server gives it, and the row that it must meet.
struct Sample {
  std::string row;
  Verb verb;
  kube::ApiResponse response;
  bool readable = true;
  bool unchanged = false;
};

kube::ApiResponse Transport(TransportError error) {
  kube::ApiResponse response;
  response.error = error;
  response.error_message = "why";
  return response;
}
kube::ApiResponse Ok(int code) {
  kube::ApiResponse response;
  response.status = code;
  return response;
}
kube::ApiResponse Plain(int code, const std::string& body) {
  kube::ApiResponse response = Ok(code);
  response.body = body;
  return response;
}

std::vector<Sample> SuccessSamples() {
  return {
      {"T1", Verb::kCreate, Transport(TransportError::kNotSent)},
      {"T2", Verb::kDelete, Transport(TransportError::kTimeout)},
      {"T3", Verb::kStatus, Transport(TransportError::kBroken)},
      {"S1", Verb::kCreate, Ok(201)},
      {"S1", Verb::kEnsureSecret, Ok(201)},
      {"S2", Verb::kUpdate, Ok(200), true, true},
      {"S2", Verb::kStatus, Ok(200), true, true},
      {"S3", Verb::kUpdate, Ok(200)},
      {"S3", Verb::kRemoveFinalizer, Ok(200)},
      {"S4", Verb::kDelete, Ok(200), false},
      {"S4", Verb::kDelete, Ok(202)},
      {"S5", Verb::kUpdate, Ok(200), false},
      {"S5", Verb::kUpdate, Ok(302)},
  };
}

std::vector<Sample> RefusalSamples() {
  return {
      {"A1", Verb::kCreate,
       StatusAnswer(400, "", "admission webhook \"deny.example.com\" denied the request: no")},
      {"A1", Verb::kUpdate,
       StatusAnswer(422, "Invalid",
                    "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'p' with "
                    "binding 'b' denied request: too many",
                    Blaming("spec.replicas"))},
      {"B1", Verb::kCreate, StatusAnswer(400, "BadRequest", "strict decoding error")},
      {"U1", Verb::kDelete, StatusAnswer(401, "Unauthorized", "Unauthorized")},
      {"F1", Verb::kCreate,
       StatusAnswer(403, "Forbidden",
                    "pods \"web\" is forbidden: exceeded quota: q, requested: pods=1")},
      {"F1", Verb::kCreate,
       StatusAnswer(403, "Forbidden",
                    "pods \"web\" is forbidden: failed quota: q: must specify limits.cpu for: a")},
      {"F1", Verb::kCreate,
       StatusAnswer(403, "Forbidden",
                    "pods \"web\" is forbidden: insufficient quota to match these scopes: [x]")},
      {"F2", Verb::kCreate,
       StatusAnswer(403, "Forbidden", "pods \"web\" is forbidden: unable to create new content",
                    {{"causes", {{{"reason", "NamespaceTerminating"}}}}})},
      {"F3", Verb::kUpdate,
       StatusAnswer(
           403, "Forbidden",
           "deployments.apps \"web\" is forbidden: User \"applier\" cannot patch resource")},
      {"F4", Verb::kCreate,
       StatusAnswer(403, "Forbidden",
                    "pods \"web\" is forbidden: violates PodSecurity \"restricted:latest\"")},
      {"F5", Verb::kCreate, Plain(403, "denied by the proxy")},
      {"N1", Verb::kCreate,
       StatusAnswer(404, "NotFound", "namespaces \"gone\" not found",
                    {{"name", "gone"}, {"kind", "namespaces"}})},
      {"N2", Verb::kDelete, StatusAnswer(404, "NotFound", "not found", Named())},
      {"N3", Verb::kStatus, StatusAnswer(404, "NotFound", "not found", Named())},
      {"N4", Verb::kUpdate, StatusAnswer(404, "NotFound", "not found", Named())},
      {"N5", Verb::kDelete, Plain(404, "404 page not found\n")},
      {"N5", Verb::kCreate, StatusAnswer(405, "MethodNotAllowed", "not allowed")},
      {"L1", Verb::kCreate, Plain(413, "")},
      {"R1", Verb::kCreate, StatusAnswer(429, "TooManyRequests", "slow down")},
      {"X1", Verb::kCreate, StatusAnswer(415, "UnsupportedMediaType", "what?")},
  };
}

std::vector<Sample> ConflictSamples() {
  const std::string modified = "the object has been modified";
  return {
      {"C1", Verb::kCreate, StatusAnswer(409, "Conflict", modified, Named())},
      {"C2", Verb::kEnsureSecret, StatusAnswer(409, "AlreadyExists", "secrets \"web\" exists")},
      {"C4", Verb::kEnsureSecret,
       StatusAnswer(409, "Conflict",
                    "Operation cannot be fulfilled on resourcequotas \"q\": the object has been "
                    "modified")},
      {"C3", Verb::kDelete,
       StatusAnswer(409, "Conflict",
                    "Precondition failed: UID in precondition: a, UID in object meta: b")},
      {"C3", Verb::kDelete,
       StatusAnswer(409, "Conflict",
                    "the UID in the precondition (x) does not match the UID in record (y)")},
      {"C4", Verb::kDelete,
       StatusAnswer(409, "Conflict", "Precondition failed: ResourceVersion in precondition: 1")},
      {"C4", Verb::kUpdate,
       StatusAnswer(409, "Conflict", "uid mismatch: no existing object was found")},
      {"C4", Verb::kStatus, StatusAnswer(409, "Conflict", modified)},
      {"C4", Verb::kAddFinalizer, StatusAnswer(409, "Conflict", modified)},
      {"V1", Verb::kUpdate, StatusAnswer(422, "Invalid", "immutable", Blaming("metadata.uid"))},
      {"V2", Verb::kUpdate,
       StatusAnswer(422, "Invalid",
                    "Invalid value: Only one reference can have Controller set to true",
                    Blaming("metadata.ownerReferences"))},
      {"V3", Verb::kRemoveFinalizer,
       StatusAnswer(422, "Invalid", "the server rejected our request")},
      {"V4", Verb::kAddFinalizer,
       StatusAnswer(422, "Invalid", "no new finalizers", Blaming("metadata.finalizers"))},
      {"V5", Verb::kUpdate, StatusAnswer(422, "Invalid", "bad", Blaming("spec.replicas"))},
      {"V5", Verb::kCreate,
       StatusAnswer(422, "Invalid", "required",
                    Blaming("spec.template.spec.containers[0].image", "FieldValueRequired"))},
      {"V5", Verb::kCreate,
       StatusAnswer(422, "Invalid", "required", Blaming("spec.selector", "FieldValueRequired"))},
      {"V5", Verb::kCreate,
       StatusAnswer(422, "Invalid", "Too long: may not be more than 1048576 bytes",
                    Blaming("[]", "FieldValueTooLong"))},
      {"V6", Verb::kEnsureSecret, StatusAnswer(422, "Invalid", "bad", Blaming("data[x y]"))},
      {"V7", Verb::kUpdate, StatusAnswer(422, "Invalid", "bad", Blaming("spec.clusterIP"))},
      {"V7", Verb::kUpdate, StatusAnswer(422, "Invalid", "bad")},
  };
}

std::vector<Sample> ServerSamples() {
  return {
      {"E1", Verb::kCreate, StatusAnswer(500, "", "etcdserver: request is too large")},
      {"E2", Verb::kCreate,
       StatusAnswer(500, "InternalError", "Internal error occurred: failed calling webhook \"w\"")},
      {"E3", Verb::kUpdate,
       StatusAnswer(500, "", "failed to create typed patch object (a/b; v1, Kind=X)")},
      {"E4", Verb::kCreate, StatusAnswer(504, "Timeout", "request did not complete")},
      {"E5", Verb::kDelete, StatusAnswer(500, "InternalError", "etcdserver: request timed out")},
      {"E5", Verb::kCreate, Plain(503, "no endpoints")},
  };
}

std::vector<Sample> Samples() {
  std::vector<Sample> all;
  for (const auto& part :
       {SuccessSamples(), RefusalSamples(), ConflictSamples(), ServerSamples()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Decision DecideSample(const Sample& sample) {
  AnswerFacts facts = ReadFacts(sample.verb, sample.response, Web());
  facts.readable = sample.readable;
  facts.unchanged = sample.unchanged;
  facts.desired = &Desired();
  return Decide(facts);
}

TEST(OutcomeTable, EveryAnswerMeetsItsRow) {
  for (const Sample& sample : Samples()) {
    EXPECT_EQ(DecideSample(sample).row, sample.row)
        << sample.response.status << " " << sample.response.body;
  }
}

TEST(OutcomeTable, ANamespaceThatIsAChildIsAbsentItself) {
  const ObjectRef child{{"", "v1", "Namespace", "namespaces"}, "", "web"};
  const kube::ApiResponse gone =
      StatusAnswer(404, "NotFound", "namespaces \"web\" not found", Named("namespaces"));
  EXPECT_EQ(Decide(ReadFacts(Verb::kDelete, gone, child)).row, "N2");
  EXPECT_EQ(Decide(ReadFacts(Verb::kUpdate, gone, child)).row, "N4");
  EXPECT_EQ(Decide(ReadFacts(Verb::kDelete, gone, Web())).row, "N1");
}

TEST(OutcomeTable, EveryRowHasASample) {
  std::set<std::string> covered;
  for (const Sample& sample : Samples()) covered.insert(std::string(DecideSample(sample).row));
  for (const OutcomeRow& row : OutcomeTable()) {
    EXPECT_TRUE(covered.contains(std::string(row.decision.row))) << row.decision.row;
  }
}

std::string CertaintyName(Certainty certainty) {
  if (certainty == Certainty::kDone) return "done";
  return certainty == Certainty::kRejected ? "rejected" : "unknown";
}

TEST(OutcomeTable, DocumentSaysWhatTheTableSays) {
  std::ifstream file("docs/outcomes.md");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty()) << "docs/outcomes.md is read from the source directory";
  for (const OutcomeRow& row : OutcomeTable()) {
    const std::string begin = absl::StrCat("\n| ", std::string(row.decision.row), " |");
    const size_t at = text.str().find(begin);
    ASSERT_NE(at, std::string::npos) << row.decision.row;
    const std::string line = text.str().substr(at + 1, text.str().find('\n', at + 1) - at - 1);
    const std::string result = absl::StrCat("| ", std::string(Name(row.decision.code)), " | ",
                                            CertaintyName(row.decision.certainty), " |");
    EXPECT_NE(line.find(result), std::string::npos) << line << " should say " << result;
    EXPECT_EQ(line.find("| read ") != std::string::npos, row.decision.next == NextStep::kReadLive)
        << line;
  }
}

TEST(OutcomeTable, EveryCodeAndVerbIsDecided) {
  for (int http = 0; http < 700; ++http) {
    for (int bit = 1; bit <= 64; bit *= 2) {
      AnswerFacts facts;
      facts.verb = static_cast<Verb>(bit);
      facts.http = http;
      facts.readable = false;
      EXPECT_FALSE(Decide(facts).row.empty());
      EXPECT_TRUE(http == 0 || http / 100 == 2 || Decide(facts).certainty != Certainty::kDone ||
                  http == 409);
    }
  }
}

LiveFacts Live(Verb verb, bool ours, bool deleting) {
  LiveFacts facts;
  facts.verb = verb;
  facts.read = ReadFacts(verb, Ok(200), Web());
  facts.live = LiveObject{"u", "7", deleting, Json::object()};
  facts.ours = ours;
  return facts;
}

LiveFacts Missing(Verb verb) {
  LiveFacts facts;
  facts.verb = verb;
  facts.read = ReadFacts(verb, StatusAnswer(404, "NotFound", "not found", Named()), Web());
  return facts;
}

TEST(LiveTable, CreateOnlyMeetsAnObject) {
  EXPECT_EQ(DecideLive(Missing(Verb::kCreate)).row, "H1");
  EXPECT_EQ(DecideLive(Live(Verb::kCreate, true, true)).row, "H2");
  LiveFacts as_desired = Live(Verb::kCreate, true, false);
  as_desired.as_desired = true;
  EXPECT_EQ(DecideLive(as_desired).row, "H3");
  EXPECT_EQ(DecideLive(Live(Verb::kCreate, true, false)).row, "H4");
  EXPECT_EQ(DecideLive(Live(Verb::kCreate, false, false)).row, "H5");
  EXPECT_EQ(DecideLive(Live(Verb::kCreate, false, true)).row, "H5");
  EXPECT_EQ(DecideLive(Live(Verb::kUpdate, true, false)).row, "O1");
}

TEST(LiveTable, StatusWasNotFound) {
  EXPECT_EQ(DecideLive(Missing(Verb::kStatus)).row, "P1");
  LiveFacts parent = Live(Verb::kStatus, false, false);
  EXPECT_EQ(DecideLive(parent).row, "P1");
  parent.same_uid = true;
  EXPECT_EQ(DecideLive(parent).row, "P2");
}

TEST(LiveTable, FinalizerIsToBeRemoved) {
  EXPECT_EQ(DecideLive(Missing(Verb::kRemoveFinalizer)).row, "Q1");
  LiveFacts parent = Live(Verb::kRemoveFinalizer, false, true);
  EXPECT_EQ(DecideLive(parent).row, "Q1");
  parent.same_uid = true;
  EXPECT_EQ(DecideLive(parent).row, "Q2");
  parent.same_version = true;
  EXPECT_EQ(DecideLive(parent).row, "Q3");
  parent.has_finalizer = true;
  EXPECT_EQ(DecideLive(parent).row, "Q4");
}

TEST(LiveTable, ProofBeforeAWrite) {
  for (const Verb verb : {Verb::kDelete, Verb::kUpdate}) {
    const std::string nothing = verb == Verb::kDelete ? "D1" : "D2";
    LiveFacts facts = Missing(verb);
    facts.verifying = true;
    EXPECT_EQ(DecideLive(facts).row, nothing);
    facts = Live(verb, false, false);
    facts.verifying = true;
    EXPECT_EQ(DecideLive(facts).row, nothing);
    facts.same_uid = true;
    EXPECT_EQ(DecideLive(facts).row, "D3");
    facts.may_touch = true;
    EXPECT_EQ(DecideLive(facts).row, "D4");
  }
}

TEST(LiveTable, ReadThatFailsRejectsTheWriteWithTheReadsCode) {
  LiveFacts facts;
  facts.read = ReadFacts(Verb::kCreate, Transport(TransportError::kTimeout), Web());
  EXPECT_EQ(DecideLive(facts).row, "G1");
  EXPECT_EQ(DecideLive(facts).code, OutcomeCode::kTimeout);
  EXPECT_EQ(DecideLive(facts).certainty, Certainty::kRejected);
  facts.read = ReadFacts(Verb::kCreate, Plain(404, "404 page not found"), Web());
  EXPECT_EQ(DecideLive(facts).code, OutcomeCode::kNotServed);
}

}  // namespace
}  // namespace xebec::applier
