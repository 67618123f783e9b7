// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/call_places.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using Places = CallPlaces<int>;
using Kind = Places::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CallPlaces, AStreamIsRefusedWhileAllMainPlacesAreTaken) {
  Places places(2, 1);
  EXPECT_TRUE(places.Arrive(1, Kind::kStream).admitted);
  EXPECT_TRUE(places.Arrive(2, Kind::kStream).admitted);
  EXPECT_FALSE(places.Arrive(3, Kind::kStream).admitted);
  places.Leave(3);
  EXPECT_FALSE(places.Arrive(4, Kind::kStream).admitted) << "a refused call has no place to leave";
  places.Leave(1);
  EXPECT_TRUE(places.Arrive(5, Kind::kStream).admitted);
}

TEST(CallPlaces, SideCallsTakeNoMainPlaceAndTheOldestGivesWay) {
  Places places(1, 2);
  EXPECT_EQ(places.Arrive(1, Kind::kSide).displaced, std::nullopt);
  EXPECT_EQ(places.Arrive(2, Kind::kSide).displaced, std::nullopt);
  EXPECT_EQ(places.Arrive(3, Kind::kSide).displaced, 1);
  places.Leave(3);
  places.Leave(1);
  EXPECT_EQ(places.Arrive(4, Kind::kSide).displaced, std::nullopt);
  EXPECT_EQ(places.Arrive(5, Kind::kSide).displaced, 2);
  EXPECT_TRUE(places.Arrive(6, Kind::kStream).admitted);
}

TEST(CallPlaces, AUnaryCallTakesAMainPlaceWhenItsRequestArrives) {
  Places places(1, 1);
  EXPECT_TRUE(places.Arrive(1, Kind::kUnary).admitted);
  EXPECT_TRUE(places.Arrive(2, Kind::kStream).admitted);
  EXPECT_FALSE(places.Serve(1)) << "the stream has the only place";
  places.Leave(2);
  EXPECT_TRUE(places.Arrive(3, Kind::kUnary).admitted);
  EXPECT_TRUE(places.Serve(3));
  EXPECT_FALSE(places.Arrive(4, Kind::kStream).admitted);
}

TEST(CallPlaces, OfCallsWithoutRequestTheOldestGivesWayAndIsNotServed) {
  Places places(2, 1);
  EXPECT_EQ(places.Arrive(1, Kind::kUnary).displaced, std::nullopt);
  EXPECT_EQ(places.Arrive(2, Kind::kUnary).displaced, std::nullopt);
  EXPECT_EQ(places.Arrive(3, Kind::kUnary).displaced, 1);
  EXPECT_FALSE(places.Serve(1));
  EXPECT_TRUE(places.Serve(3));
}

TEST(CallPlaces, ClearReturnsTheCallsThatAreOnlyHeldOpen) {
  Places places(2, 2);
  places.Arrive(1, Kind::kUnary);
  places.Arrive(2, Kind::kSide);
  places.Arrive(3, Kind::kStream);
  EXPECT_THAT(places.Clear(), ElementsAre(1, 2));
  EXPECT_THAT(places.Clear(), IsEmpty());
  EXPECT_FALSE(places.Serve(1));
}

}  // namespace
}  // namespace xebec::rpc
