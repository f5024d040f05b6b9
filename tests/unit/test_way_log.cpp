// Where the firmware's ways part: what is told of pairs whose cycles differ.
#include "host/run/way_log.hpp"

#include <gmock/gmock.h>

namespace headstack::run {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr tlm::Access kFirst = tlm::kWaypoint + 1;
constexpr tlm::Access kSecond = tlm::kWaypoint + 2;
constexpr tlm::Access kThird = tlm::kWaypoint + 3;

std::string name(std::uint32_t address) { return address == 0x104 ? "parting_function" : "other"; }

TEST(WayLog, PairThatAlwaysTakesTheSame_IsNotTold) {
  WayLog log;
  for (int i = 0; i < 5; ++i) log.ended({tlm::kWake, kFirst, kSecond}, 40, {0x100, 0x104});
  EXPECT_EQ(log.to_text(name), " spread  pair\n");
}

TEST(WayLog, WaysThatPart_AreToldWithThePlace_TheMostTakenFirst) {
  WayLog log;
  for (int i = 0; i < 3; ++i) log.ended({tlm::kWake, kFirst, kSecond}, 40, {0x100, 0x104, 0x106});
  log.ended({tlm::kWake, kFirst, kSecond}, 48, {0x100, 0x104, 0x120, 0x106});
  const std::string text = log.to_text(name);
  // The mean is 42: three times 2 off, and once 6.
  EXPECT_THAT(text, HasSubstr("     12  [wake] " + tlm::access_name(kFirst) + " > " +
                              tlm::access_name(kSecond) + "\n"));
  EXPECT_THAT(text, HasSubstr("40 x      3\n"));
  EXPECT_THAT(text, HasSubstr("48 x      1  parts at 0x104 parting_function\n"));
  EXPECT_LT(text.find("40 x"), text.find("48 x"));
}

TEST(WayLog, AnotherCopy_AndAnotherTimeOnOneWay_AreToldApart) {
  WayLog log;
  log.ended({tlm::kWake, kFirst, kSecond}, 40, {0x100});
  log.ended({tlm::kWake, kFirst, kSecond}, 40, {0x100});
  log.ended({tlm::kWake, kFirst, kSecond}, 41, {0x100});
  log.ended({tlm::kWake, kFirst, kSecond}, 44, {0x200});
  const std::string text = log.to_text(name);
  EXPECT_THAT(text, HasSubstr("41 x      1  on the same way\n"));
  EXPECT_THAT(text, HasSubstr("44 x      1  another copy of the code, or another caller\n"));
}

TEST(WayLog, WhatCameBefore_MakesAnotherPair) {
  WayLog log;
  log.ended({tlm::kWake, kFirst, kSecond}, 40, {0x100});
  log.ended({kThird, kFirst, kSecond}, 60, {0x200});
  EXPECT_THAT(log.to_text(name), Not(HasSubstr(">"))) << "each takes the same, always";
}

}  // namespace
}  // namespace headstack::run
