// SPDX-License-Identifier: Apache-2.0
// Mode pages over the bus: values at power-on, and the effects of changes (SPC-2 7.6, 7.8, 8.3;
// SBC-2 6.3; SCSI-2 9.3.3).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr std::uint8_t kErrorRecovery = 0x01;
constexpr std::uint8_t kFormatDevice = 0x03;
constexpr std::uint8_t kRigidGeometry = 0x04;
constexpr std::uint8_t kCaching = 0x08;
constexpr std::uint8_t kControl = 0x0A;
constexpr std::uint8_t kScheduler = 0x20;  // vendor specific: firmware/unit/mode_page.h
constexpr std::uint8_t kAllPages = 0x3F;

constexpr std::size_t kHeader6 = 4;
constexpr std::size_t kHeader10 = 8;

class ModePages : public DriveBench {
 protected:
  /// A page as MODE SENSE(6) returns it.
  Bytes page(std::uint8_t code, Values values = Values::kCurrent) {
    const Completion done = execute(mode_sense_6(code, values));
    EXPECT_EQ(outcome(done), "GOOD");
    if (done.data.size() < kHeader6) return {};
    EXPECT_EQ(done.data[0], done.data.size() - 1) << "mode data length, SPC-2 table 147";
    EXPECT_EQ(done.data[3], 0) << "no block descriptor asked for";
    return {done.data.begin() + kHeader6, done.data.end()};
  }
  /// A page in the form for MODE SELECT, where PS is reserved (SPC-2 8.3.1).
  Bytes page_to_send(std::uint8_t code) {
    Bytes bytes = page(code);
    bytes[0] = static_cast<std::uint8_t>(bytes[0] & 0x3FU);
    return bytes;
  }
};

struct PageSize {
  std::uint8_t code;
  std::uint8_t length;  // byte 1
};

// Lengths: SBC-2 6.3, SPC-2 8.3, SCSI-2 9.3.3; those of the vendor's pages 20h to 23h are in
// firmware/unit/mode_page.h.
const PageSize kPages[] = {{0x01, 0x0A}, {0x02, 0x0E}, {0x03, 0x16}, {0x04, 0x16},
                           {0x07, 0x0A}, {0x08, 0x12}, {0x0A, 0x0A}, {0x1C, 0x0A},
                           {0x20, 0x16}, {0x21, 0x26}, {0x22, 0x0A}, {0x23, 0x12}};

TEST_F(ModePages, EveryPage_HasItsLengthAndStartsWithItsDefaults) {
  power_on_fast();
  Bytes all;
  for (const PageSize& row : kPages) {
    SCOPED_TRACE(testing::Message() << "page " << int{row.code});
    const Bytes current = page(row.code);
    ASSERT_EQ(current.size(), row.length + 2U);
    EXPECT_EQ(current[0], row.code) << "PS is clear: this drive has no store";
    EXPECT_EQ(current[1], row.length);
    EXPECT_EQ(page(row.code, Values::kDefault), current);
    const Bytes changeable = page(row.code, Values::kChangeable);
    ASSERT_EQ(changeable.size(), current.size());
    EXPECT_EQ(changeable[1], row.length);
    all.insert(all.end(), current.begin(), current.end());
  }
  EXPECT_EQ(page(kAllPages), all) << "ascending: SPC-2 8.3.1";
}

// SPC-2 tables 147, 148, SBC-2 6.3.2: headers and the block descriptor.
TEST_F(ModePages, BothForms_HaveTheSameContent) {
  power_on_fast();
  const Bytes short_form = execute(mode_sense_6(kCaching)).data;
  const Bytes long_form = execute(mode_sense_10(kCaching)).data;
  ASSERT_EQ(long_form.size(), short_form.size() + kHeader10 - kHeader6);
  EXPECT_EQ(big_endian(long_form, 0, 2), long_form.size() - 2);
  EXPECT_EQ(short_form[2], 0x10) << "DPO and FUA, SBC-2 table 94";
  EXPECT_EQ(long_form[3], 0x10);
  EXPECT_EQ(Bytes(long_form.begin() + kHeader10, long_form.end()),
            Bytes(short_form.begin() + kHeader6, short_form.end()));
  const Bytes described = execute(reads({0x1A, 0, kCaching, 0, 255, 0}, 255)).data;
  ASSERT_EQ(described.size(), short_form.size() + 8);
  EXPECT_EQ(described[3], 8) << "one block descriptor";
  EXPECT_EQ(big_endian(described, 4, 4), capacity());
  EXPECT_EQ(big_endian(described, 9, 3), kBlockBytes);
}

TEST_F(ModePages, GeometryPages_MatchTheDescription) {
  power_on_fast();
  const drive::Design design = small_drive().design;
  const Bytes format = page(kFormatDevice);  // SCSI-2 9.3.3.3
  EXPECT_EQ(big_endian(format, 10, 2), design.zones[0].sectors_per_track);
  EXPECT_EQ(big_endian(format, 12, 2), design.sector_bytes);
  const Bytes rigid = page(kRigidGeometry);  // SCSI-2 9.3.3.7
  EXPECT_EQ(big_endian(rigid, 2, 3), design.cylinders);
  EXPECT_EQ(rigid[5], design.heads);
  EXPECT_EQ(big_endian(rigid, 20, 2), 6000U) << "rpm";
  EXPECT_EQ(page(kCaching)[2] & 0x05, 0x01) << "neither write nor read cache: WCE 0, RCD 1";
}

// SPC-2 7.6, 8.3.1: current values change, defaults never, and saved values only with SP.
TEST_F(ModePages, ModeSelect_ChangesCurrentValues_AndSavedOnesWithSp) {
  power_on_ready(stored_setup());
  Bytes list = page_to_send(kErrorRecovery);
  const std::uint8_t before = list[3];
  ASSERT_EQ(page(kErrorRecovery, Values::kChangeable)[3], 0xFF) << "read retry count";
  list[3] = 3;
  EXPECT_EQ(run(mode_select_6(list)), "GOOD");
  EXPECT_EQ(page(kErrorRecovery)[3], 3);
  EXPECT_EQ(page(kErrorRecovery, Values::kSaved)[3], before);
  list[3] = 5;
  EXPECT_EQ(run(mode_select_10(list, true)), "GOOD");
  EXPECT_EQ(page(kErrorRecovery)[3], 5);
  EXPECT_EQ(page(kErrorRecovery, Values::kSaved)[3], 5);
  EXPECT_EQ(page(kErrorRecovery, Values::kDefault)[3], before);
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "2A/01 is for the other initiators: SPC-2 7.6";
}

// SCSI-2 9.3.3: a reset restores the saved values.
TEST_F(ModePages, BusDeviceReset_RestoresSavedValues) {
  power_on_ready(stored_setup());
  Bytes list = page_to_send(kErrorRecovery);
  list[3] = 5;
  EXPECT_EQ(run(mode_select_6(list, true)), "GOOD");
  list[3] = 6;
  EXPECT_EQ(run(mode_select_6(list)), "GOOD");
  await(manage(initiator::ManagementKind::kBusDeviceReset));
  EXPECT_EQ(run(test_unit_ready()), "6/29/03");
  EXPECT_EQ(page(kErrorRecovery)[3], 5);
}

// SCSI-2 8.2.8. Old Macintoshes send header and descriptor with PF 0.
TEST_F(ModePages, WithoutPf_HeaderDescriptorAndPagesAreTakenAsEver) {
  power_on_fast();
  const Bytes descriptor = {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0};
  EXPECT_EQ(run(writes({0x15, 0, 0, 0, 4, 0}, Bytes(4))), "GOOD");
  EXPECT_EQ(run(writes({0x15, 0, 0, 0, 12, 0}, descriptor)), "GOOD");
  EXPECT_EQ(run(plain({0x15, 0, 0, 0, 0, 0})), "GOOD");
  Bytes list = joined({Bytes(4), page_to_send(kErrorRecovery)});
  list[4 + 3] = 5;
  EXPECT_EQ(run(writes({0x15, 0, 0, 0, static_cast<std::uint8_t>(list.size()), 0}, list)), "GOOD");
  EXPECT_EQ(page(kErrorRecovery)[3], 5);
}

// SCSI-2 8.3.3: PS is reserved in MODE SELECT. SPARCstations send a page back as it came.
TEST_F(ModePages, PageReturnedUnchanged_IsAccepted) {
  power_on_ready(stored_setup());
  for (const PageSize& row : kPages) {
    const Bytes as_it_came = page(row.code);
    ASSERT_EQ(as_it_came[0], 0x80 | row.code) << "this drive has a store";
    EXPECT_EQ(run(mode_select_10(as_it_came)), "GOOD") << int{row.code};
    EXPECT_EQ(page(row.code), as_it_came);
  }
  // Caching off in such a page is caching off, with all that belongs to it (SBC-3 6.4.5).
  EXPECT_EQ(run(mode_select_6(caching_page({kWriteCache}))), "GOOD");
  EXPECT_EQ(run(write_10(700, blocks().write(700, 8))), "GOOD");
  Bytes off = caching_page({kReadCacheDisabled});
  off[0] |= 0x80;
  EXPECT_EQ(run(mode_select_6(off)), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(700, 8), blocks().expected(700, 8), 700), std::nullopt);
}

TEST_F(ModePages, SchedulerPage_SelectsAPolicyAndReadsBack) {
  power_on_fast();
  Bytes list = page_to_send(kScheduler);
  EXPECT_EQ(list[2], 0) << "fcfs at power-on";
  list[2] = 2;                 // stf
  list[4] = 0, list[5] = 100;  // margin, us
  EXPECT_EQ(run(mode_select_10(list)), "GOOD");
  const Bytes now = page_to_send(kScheduler);
  EXPECT_EQ(now, list);
  EXPECT_EQ(page(kScheduler, Values::kDefault)[2], 0);
  prepare(700, 4);
  expect_reads_back(700, 4);
}

struct BadScheduler {
  std::uint8_t policy;
  std::uint8_t flags;
  std::uint8_t group_high;  // of the first parameter
  std::uint8_t second_low;  // of the second one
};

// gstf has a group of 1 to 65,535 cylinders, and two flags (docs/policies.md).
TEST_F(ModePages, SchedulerPage_AcceptsThePolicysParameters) {
  power_on_fast();
  Bytes list = page_to_send(kScheduler);
  list[2] = 9;   // gstf
  list[3] = 3;   // bounce, frozen
  list[11] = 7;  // group
  EXPECT_EQ(run(mode_select_10(list)), "GOOD");
  const Bytes good = page_to_send(kScheduler);
  EXPECT_EQ(good, list);
  for (const BadScheduler& bad : {BadScheduler{9, 4, 0, 0}, BadScheduler{9, 0, 1, 0},
                                  BadScheduler{9, 0, 0, 1}, BadScheduler{0, 1, 0, 0}}) {
    list[2] = bad.policy;
    list[3] = bad.flags;
    list[9] = bad.group_high;
    list[15] = bad.second_low;
    EXPECT_EQ(run(mode_select_10(list)), "5/26/00") << int{bad.policy} << " " << int{bad.flags};
    EXPECT_EQ(page_to_send(kScheduler), good);
  }
  prepare(700, 4);
  expect_reads_back(700, 4);
}

// SPC-2 7.6: an invalid value in one page of a list leaves all pages unchanged.
TEST_F(ModePages, ListWithOneBadPage_ChangesNothing) {
  power_on_fast();
  Bytes list = page_to_send(kErrorRecovery);
  const Bytes before = list;
  list[3] = 4;
  Bytes bad = page_to_send(kScheduler);
  bad[2] = 99;  // no such policy
  list.insert(list.end(), bad.begin(), bad.end());
  EXPECT_EQ(run(mode_select_10(list)), "5/26/00");
  EXPECT_EQ(page_to_send(kErrorRecovery), before);
  EXPECT_EQ(page(kScheduler)[2], 0);
}

// SPC-2 table 156: queue algorithm modifier 1h is the highest defined value; QERR 10b is reserved.
TEST_F(ModePages, ControlPage_AcceptsDefinedValues) {
  power_on_fast();
  Bytes list = page_to_send(kControl);
  list[3] = 0x10;
  EXPECT_EQ(run(mode_select_6(list)), "GOOD");
  list[3] = 0x20;
  EXPECT_EQ(run(mode_select_6(list)), "5/26/00");
  list[3] = 0x04;
  EXPECT_EQ(run(mode_select_6(list)), "5/26/00");
  EXPECT_EQ(page(kControl)[3], 0x10);
}

}  // namespace
}  // namespace headstack::scenario
