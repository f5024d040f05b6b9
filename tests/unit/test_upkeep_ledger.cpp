// SPDX-License-Identifier: Apache-2.0
// What the drive must still keep after a power loss (host/replay/upkeep_ledger.hpp). The commands
// are those of SPC-2 7.6 (MODE SELECT), SBC-2 5.16 (REASSIGN BLOCKS) and 5.13 (READ DEFECT DATA).
#include "host/replay/upkeep_ledger.hpp"

#include <gmock/gmock.h>

namespace headstack::replay {
namespace {

using Bytes = std::vector<std::uint8_t>;
using testing::HasSubstr;

/// The saved values of page 01h.
initiator::Completion saved(unsigned retries, bool saveable = true) {
  initiator::Completion answer;
  answer.data = {15,
                 0,
                 0x10,
                 0,
                 static_cast<std::uint8_t>(saveable ? 0x81 : 0x01),
                 10,
                 0xC0,
                 static_cast<std::uint8_t>(retries),
                 0,
                 0,
                 0,
                 0,
                 8,
                 0,
                 0,
                 0};
  return answer;
}

/// SCSI-2 8.2.10.3: 5/39/00, the answer of a drive without a store.
initiator::Completion not_supported() {
  initiator::Completion answer;
  answer.status = 0x02;
  answer.sense = Bytes(18);
  answer.sense[0] = 0x70;
  answer.sense[2] = 0x05;
  answer.sense[7] = 10;
  answer.sense[12] = 0x39;
  return answer;
}

initiator::Completion grown(const std::vector<std::uint32_t>& blocks) {
  initiator::Completion answer;
  answer.data = {0, 0x08, 0, static_cast<std::uint8_t>(4 * blocks.size())};
  for (const std::uint32_t block : blocks) {
    for (const int shift : {24, 16, 8, 0}) {
      answer.data.push_back(static_cast<std::uint8_t>(block >> shift));
    }
  }
  return answer;
}

unsigned retries_of(const std::optional<initiator::Command>& save) { return save->data[7]; }

TEST(UpkeepLedger, Save_IsAModeSelectWithSavePages) {
  UpkeepLedger ledger;
  const auto save = ledger.save();
  EXPECT_EQ(save->cdb, (Bytes{0x15, 0x11, 0, 0, 16, 0}));
  EXPECT_EQ(Bytes(save->data.begin() + 4, save->data.begin() + 7), (Bytes{0x01, 0x0A, 0xC0}));
  EXPECT_FALSE(ledger.save()) << "one at a time";
}

TEST(UpkeepLedger, ASaveThatWasGood_IsTheOnlyOneThatMayBeThere) {
  UpkeepLedger ledger;
  const unsigned first = retries_of(ledger.save());
  ledger.save_ended(true);
  EXPECT_EQ(ledger.judge_saved(saved(first)), "");
  EXPECT_THAT(ledger.judge_saved(saved(8)), HasSubstr("8 saved read retries, for 9"));
  EXPECT_NE(ledger.judge_saved(saved(first + 1)), "");
}

TEST(UpkeepLedger, ASaveThatIsOut_MayBeThere_AndSoMayTheOneBefore) {
  UpkeepLedger ledger;
  const unsigned first = retries_of(ledger.save());
  EXPECT_EQ(UpkeepLedger(ledger).judge_saved(saved(8)), "") << "the default";
  EXPECT_EQ(UpkeepLedger(ledger).judge_saved(saved(first)), "");
  ledger.save_ended(true);
  const unsigned second = retries_of(ledger.save());
  ASSERT_NE(first, second);
  ledger.save_ended(false);
  const unsigned third = retries_of(ledger.save());
  for (const unsigned one : {first, second, third}) {
    UpkeepLedger power_is_back = ledger;
    EXPECT_EQ(power_is_back.judge_saved(saved(one)), "");
    for (const unsigned other : {8U, first, second, third}) {
      EXPECT_EQ(UpkeepLedger(power_is_back).judge_saved(saved(other)) == "", other == one)
          << "what was seen stays";
    }
  }
  EXPECT_NE(UpkeepLedger(ledger).judge_saved(saved(8)), "");
  ledger.save_ended(true);
  EXPECT_NE(ledger.judge_saved(saved(second)), "") << "what is older than a GOOD is a loss";
}

TEST(UpkeepLedger, ADriveThatCannotSave_HasTheDefault) {
  UpkeepLedger ledger;
  static_cast<void>(ledger.save());
  ledger.save_ended(true);
  EXPECT_EQ(ledger.judge_saved(not_supported()), "");
  EXPECT_NE(UpkeepLedger(ledger).judge_saved(saved(8, false)), "") << "saved values without PS";
  initiator::Completion other = not_supported();
  other.sense[12] = 0x24;
  EXPECT_NE(UpkeepLedger(ledger).judge_saved(other), "") << "the page must be there";
}

TEST(UpkeepLedger, Reassign_NamesEachBlockOnce) {
  UpkeepLedger ledger;
  EXPECT_EQ(ledger.reassign(0x01020304, 2)->data, (Bytes{0, 0, 0, 4, 1, 2, 3, 4}));
  EXPECT_FALSE(ledger.reassign(50, 1)) << "one at a time";
  ledger.reassign_ended(true);
  EXPECT_EQ(ledger.reassign(0x01020304, 2)->data, (Bytes{0, 0, 0, 4, 1, 2, 3, 5}));
  ledger.reassign_ended(false);
  EXPECT_FALSE(ledger.reassign(0x01020304, 2));
}

TEST(UpkeepLedger, BlocksThatMoved_AreInTheList_AndNoOthers) {
  UpkeepLedger ledger;
  ASSERT_EQ(ledger.judge_saved(saved(8)), "");
  static_cast<void>(ledger.reassign(100, 1));
  ledger.reassign_ended(true);
  static_cast<void>(ledger.reassign(200, 1));
  EXPECT_EQ(ledger.judge_grown(grown({100}), false), "");
  EXPECT_EQ(ledger.judge_grown(grown({100, 200}), false), "") << "it may have moved";
  EXPECT_THAT(ledger.judge_grown(grown({200}), false), HasSubstr("block 100 was reassigned"));
  EXPECT_THAT(ledger.judge_grown(grown({100, 300}), false), HasSubstr("block 300"));
  EXPECT_EQ(ledger.judge_grown(grown({100, 300}), true), "");
}

}  // namespace
}  // namespace headstack::replay
