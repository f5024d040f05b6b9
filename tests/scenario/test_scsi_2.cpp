// SPDX-License-Identifier: Apache-2.0
// Commands of drives from the time of SCSI-2: seeks, verified writes, 12-byte commands, partial
// capacities. Others do more than SPC-2 asks for: stops that are not awaited, long lists of
// defects, messages of all lengths.
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {
namespace {

using initiator::ManagementKind;
using media::FlawKind;

class Scsi2 : public DefectBench {
 protected:
  /// The time from the CDB to the status.
  static Picoseconds service(const Completion& done) {
    return done.times.status - done.times.command_sent;
  }
  static Setup two_hosts() {
    Setup setup = fast_setup();
    setup.hosts.push_back(host_config(initiator::kFast10Wide, 6));
    return setup;
  }
};

// ------------------------------------------------------------------------------------------- seeks

// SCSI-2 9.2.15. The seek curve of small_drive(): 2 ms and 0.1 ms for a cylinder. A track has 20
// blocks, and a cylinder two tracks.
TEST_F(Scsi2, Seek_EndsWhenTheArmIsThere) {
  power_on_fast();
  ASSERT_EQ(run(read_10(0, 1)), "GOOD");
  const Completion far = execute(seek_10(20 * 40));
  EXPECT_EQ(outcome(far), "GOOD");
  EXPECT_EQ(far.bytes_moved, 0U);
  EXPECT_GE(service(far), 4 * kMillisecond) << "20 cylinders";
  EXPECT_LT(service(far), 5 * kMillisecond);
  const Completion there = execute(seek_6(20 * 40 + 39));
  EXPECT_EQ(outcome(there), "GOOD");
  EXPECT_LT(service(there), kMillisecond) << "the same cylinder: at most a head switch";
  const Completion home = execute(rezero_unit());
  EXPECT_EQ(outcome(home), "GOOD");
  EXPECT_GE(service(home), 4 * kMillisecond) << "back to block 0";
  EXPECT_LT(service(execute(rezero_unit())), kMillisecond);
}

TEST_F(Scsi2, Seek_BeyondTheLastBlock_MovesNothing) {
  power_on_fast();
  EXPECT_EQ(run(seek_6(capacity() - 1)), "GOOD");
  for (const Command& command : {seek_6(capacity()), seek_10(capacity()), seek_10(0xFFFFFFFF)}) {
    const Completion done = execute(command);
    EXPECT_EQ(outcome(done), "5/21/00");
    EXPECT_LT(service(done), kMillisecond);
  }
  EXPECT_LT(service(execute(seek_10(capacity() - 1))), kMillisecond) << "the arm has stayed";
}

TEST_F(Scsi2, Seek_AmongOtherTasks_TakesNothingFromThem) {
  power_on_fast();
  prepare(100, 8);
  prepare(1500, 8);
  const Bytes written = blocks().write(900, 8);
  const Ticket first = submit(tagged(read_10(100, 8), 1));
  const Ticket seek = submit(tagged(seek_10(2000), 2));
  const Ticket write = submit(tagged(write_10(900, written), 3));
  const Ticket rezero = submit(tagged(rezero_unit(), 4));
  const Ticket last = submit(tagged(read_10(1500, 8), 5));
  await_all();
  expect_data(result(first), 100, 8);
  expect_data(result(last), 1500, 8);
  for (const Ticket ticket : {seek, write, rezero}) EXPECT_EQ(outcome(result(ticket)), "GOOD");
  expect_reads_back(900, 8);
}

TEST_F(Scsi2, Seek_OfAStoppedDrive_IsNotReady) {
  power_on_fast();
  ASSERT_EQ(run(start_stop(false)), "GOOD");
  EXPECT_EQ(run(seek_10(0)), "2/04/02");
  EXPECT_EQ(run(rezero_unit()), "2/04/02");
  EXPECT_EQ(run(prevent_removal(true)), "GOOD") << "no medium is needed";
  ASSERT_EQ(run(start_stop(true)), "GOOD");
}

TEST_F(Scsi2, Seek_ThatIsAborted_LeavesTheDriveUsable) {
  power_on_fast();
  ASSERT_EQ(run(read_10(0, 1)), "GOOD");
  const Ticket seek = submit(tagged(seek_10(2000), 7));
  run_for(kMillisecond);
  await(manage(ManagementKind::kAbortTag, 7));
  await(seek);
  prepare(40, 4);
  expect_reads_back(40, 4);
}

// ------------------------------------------------------------------------------- write and verify

// SCSI-2 9.2.23: data are written, and then read: some revolutions of 10 ms.
TEST_F(Scsi2, WriteAndVerify_ReachesTheMedia_AndReadsIt) {
  power_on_fast();
  prepare(1180, 60);
  const Completion done = execute(write_and_verify(1190, blocks().write(1190, 20)));
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_GE(service(done), 20 * kMillisecond) << "twenty sectors twice, a revolution each";
  EXPECT_EQ(blocks().first_difference(peek(1180, 60), blocks().expected(1180, 60), 1180),
            std::nullopt)
      << "neighbours too";
  expect_reads_back(1180, 60);
}

// With a write cache GOOD could come before the data are on the media. Verified data are there.
TEST_F(Scsi2, WriteAndVerify_WithAWriteCache_GoesToTheMediaFirst) {
  power_on_fast();
  ASSERT_EQ(run(mode_select_6(caching_page({kWriteCache}))), "GOOD");
  const Completion cached = execute(write_10(300, blocks().write(300, 8)));
  EXPECT_EQ(outcome(cached), "GOOD");
  const Completion verified = execute(write_and_verify(304, blocks().write(304, 8)));
  EXPECT_EQ(outcome(verified), "GOOD");
  EXPECT_GT(service(verified), 10 * kMillisecond);
  EXPECT_EQ(blocks().first_difference(peek(300, 12), blocks().expected(300, 12), 300), std::nullopt)
      << "the older write of the same blocks came first";
  expect_reads_back(300, 12);
}

TEST_F(Scsi2, WriteAndVerify_LongerThanTheBuffer_IsWhole) {
  Setup setup = fast_setup();
  setup.description.design.buffer_bytes = 32 * kBlockBytes;
  power_on_ready(setup);
  EXPECT_EQ(run(write_and_verify(1000, blocks().write(1000, 200))), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(1000, 200), blocks().expected(1000, 200), 1000),
            std::nullopt);
}

// A sector that accepts data and does not return them: a write is GOOD, and only the verification
// fails. The sense data name the block (SCSI-2 8.2.14).
TEST_F(Scsi2, WriteAndVerify_OfABadSector_NamesTheBlock) {
  power_on_ready(spared_setup());
  flaw_block(13, FlawKind::kUnreadable);
  EXPECT_EQ(run(write_10(10, blocks().write(10, 8))), "GOOD");
  const Completion done = execute(write_and_verify(10, blocks().write(10, 8)));
  EXPECT_EQ(outcome(done).substr(0, 4), "3/11");
  EXPECT_EQ(information(done.sense), 13U);
  const Bytes before = blocks().expected(10, 3);
  EXPECT_EQ(peek(10, 3), before) << "it has been written all the same";
  EXPECT_EQ(run(write_and_verify(20, blocks().write(20, 8))), "GOOD") << "and its neighbours";
}

TEST_F(Scsi2, WriteAndVerify_AmongOtherTasks_KeepsTheirOrder) {
  power_on_fast();
  const Ticket first = submit(tagged(write_and_verify(500, blocks().write(500, 8)), 1));
  const Ticket second = submit(tagged(write_10(504, blocks().write(504, 8)), 2));
  const Ticket third = submit(tagged(write_and_verify(502, blocks().write(502, 4)), 3));
  const Ticket read = submit(tagged(read_10(500, 12), 4));
  await_all();
  for (const Ticket ticket : {first, second, third}) EXPECT_EQ(outcome(result(ticket)), "GOOD");
  expect_data(result(read), 500, 12);
  expect_reads_back(500, 12);
}

TEST_F(Scsi2, WriteAndVerify_OfAHostThatKeepsTheBus_Ends) {
  power_on_fast();
  Command command = write_and_verify(700, blocks().write(700, 8));
  command.may_disconnect = false;
  EXPECT_EQ(run(command), "GOOD");
  Command seek = seek_10(2000);
  seek.may_disconnect = false;
  EXPECT_EQ(run(seek), "GOOD");
  expect_reads_back(700, 8);
}

// ------------------------------------------------------------------------------------- 12 bytes

TEST_F(Scsi2, TwelveByteCommands_ReadAndWriteLikeTheOthers) {
  power_on_fast();
  prepare(1180, 60);
  EXPECT_EQ(run(write_12(1190, blocks().write(1190, 20))), "GOOD");
  expect_data(execute(read_12(1185, 30)), 1185, 30);
  EXPECT_EQ(blocks().first_difference(peek(1180, 60), blocks().expected(1180, 60), 1180),
            std::nullopt);
  const Bytes last = prepare(capacity() - 1, 1);
  expect_data(execute(read_12(capacity() - 1, 1)), capacity() - 1, 1);
  Command too_far = read_12(capacity() - 1, 2);
  EXPECT_EQ(run(too_far), "5/21/00");
  Command nothing = read_12(10, 0);
  nothing.length = kBlockBytes;
  const Completion none = execute(nothing);
  EXPECT_EQ(outcome(none), "GOOD");
  EXPECT_EQ(none.bytes_moved, 0U);
}

// ------------------------------------------------------------------------------------ reservations

TEST_F(Scsi2, Reservation_KeepsTheNewCommandsOut) {
  power_on_ready(two_hosts());
  ASSERT_EQ(run(reserve_10()), "GOOD");
  for (const Command& command :
       {seek_6(0), seek_10(0), rezero_unit(), read_12(0, 1), write_12(0, Bytes(kBlockBytes)),
        write_and_verify(0, Bytes(kBlockBytes)), reserve_6(), reserve_10(),
        prevent_removal(true)}) {
    EXPECT_EQ(run(command, 1), "RESERVATION CONFLICT") << int{command.cdb[0]};
  }
  EXPECT_EQ(run(prevent_removal(false), 1), "GOOD") << "SCSI-2 9.2.12";
  EXPECT_EQ(run(release_10(), 1), "GOOD") << "releases nothing";
  EXPECT_EQ(run(test_unit_ready(), 1), "RESERVATION CONFLICT");
  EXPECT_EQ(run(release_6()), "GOOD");
  EXPECT_EQ(run(read_12(0, 1), 1), "GOOD");
}

// SCSI-2 7.9: a unit attention precedes the execution of each of them.
TEST_F(Scsi2, UnitAttention_ComesAheadOfTheNewCommands) {
  power_on_fast();
  for (const Command& command : {seek_6(0), rezero_unit(), write_and_verify(0, Bytes(kBlockBytes)),
                                 reserve_10(), release_10(), prevent_removal(false)}) {
    host().reset_bus();
    run_for(kMillisecond);
    EXPECT_EQ(run(command), "6/29/02") << int{command.cdb[0]};
    EXPECT_EQ(run(command), "GOOD");
  }
}

// ------------------------------------------------------------------------------- partial capacity

// SCSI-2 9.2.7: the last block of the cylinder. 40 blocks to cylinder 29, 32 from there on.
TEST_F(Scsi2, ReadCapacityWithPmi_IsTheLastBlockOfTheCylinder) {
  power_on_fast();
  const auto last_from = [this](std::uint32_t lba) {
    const Completion done = execute(read_capacity_from(lba));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(big_endian(done.data, 4, 4), kBlockBytes);
    return big_endian(done.data, 0, 4);
  };
  EXPECT_EQ(last_from(0), 39U);
  EXPECT_EQ(last_from(39), 39U);
  EXPECT_EQ(last_from(40), 79U);
  EXPECT_EQ(last_from(1199), 1199U);
  EXPECT_EQ(last_from(1200), 1231U);
  EXPECT_EQ(last_from(capacity() - 1), capacity() - 1);
  EXPECT_EQ(run(read_capacity_from(capacity())), "5/21/00");
}

// Every answer is a block on the cylinder of the requested one, and the next block is on another.
TEST_F(Scsi2, ReadCapacityWithPmi_OfADriveWithSpares_EndsEachCylinder) {
  power_on_ready(spared_setup());
  const auto cylinder = [this](std::uint32_t lba) {
    return platform().geometry().locate(lba).cylinder;
  };
  for (std::uint32_t lba = 0; lba < capacity(); lba += 7) {
    const std::uint32_t last = big_endian(execute(read_capacity_from(lba)).data, 0, 4);
    ASSERT_GE(last, lba);
    EXPECT_EQ(cylinder(last), cylinder(lba));
    if (last + 1 == capacity()) continue;
    EXPECT_NE(cylinder(last + 1), cylinder(lba));
  }
}

// ---------------------------------------------------------------------------- stops not awaited

// SCSI-2 9.2.17: from its GOOD on the unit is stopped for every host. Tasks from before are served.
TEST_F(Scsi2, StopNotAwaited_IsInForceFromItsGood_AndOlderTasksAreServed) {
  power_on_ready(two_hosts());
  prepare(100, 8);
  prepare(2000, 8);
  const Ticket own = submit(tagged(read_10(100, 8), 1));
  const Ticket others = submit(tagged(read_10(2000, 8), 1), 1);
  run_for(200 * kMicrosecond);
  const Completion stop = execute(tagged(start_stop(false, true), 2));
  EXPECT_EQ(outcome(stop), "GOOD");
  EXPECT_FALSE(is_done(own) && is_done(others)) << "GOOD has not waited for them";
  for (const std::size_t index : {0U, 1U}) {
    EXPECT_EQ(run(tagged(test_unit_ready(), 3), index), "2/04/02");
    EXPECT_EQ(run(tagged(read_10(0, 1), 4), index), "2/04/02");
    EXPECT_EQ(run(tagged(inquiry(), 5), index), "GOOD");
  }
  await_all();
  expect_data(result(own), 100, 8);
  expect_data(result(others), 2000, 8);
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), 1), "GOOD");
}

TEST_F(Scsi2, StopNotAwaited_WithWritesInTheCache_WritesThemFirst) {
  power_on_fast();
  ASSERT_EQ(run(mode_select_6(caching_page({kWriteCache}))), "GOOD");
  for (const std::uint32_t lba : {100U, 900U, 1700U}) {
    EXPECT_EQ(run(write_10(lba, blocks().write(lba, 8))), "GOOD");
  }
  EXPECT_EQ(run(start_stop(false, true)), "GOOD");
  EXPECT_EQ(run(synchronize_cache()), "2/04/02");
  EXPECT_EQ(run(test_unit_ready()), "2/04/02");
  run_for(400 * kMillisecond);
  for (const std::uint32_t lba : {100U, 900U, 1700U}) {
    EXPECT_EQ(blocks().first_difference(peek(lba, 8), blocks().expected(lba, 8), lba),
              std::nullopt);
  }
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  expect_reads_back(900, 8);
}

// A start follows a stop: both are carried out in order.
TEST_F(Scsi2, StopAndStartNotAwaited_LeadToAReadyDrive) {
  power_on_fast();
  const Ticket read = submit(tagged(read_10(2000, 8), 1));
  EXPECT_EQ(run(tagged(start_stop(false, true), 2)), "GOOD");
  EXPECT_EQ(run(tagged(start_stop(true, true), 3)), "GOOD");
  EXPECT_EQ(run(tagged(test_unit_ready(), 4)), "2/04/02") << "the stop comes first";
  await(read);
  run_until([this] { return run(test_unit_ready()) == "GOOD"; }, kPicosecondsPerSecond,
            20 * kMillisecond);
  expect_reads_back(0, 4);
}

// ----------------------------------------------------------------------------- the list of defects

// SCSI-2 9.2.8. Between pieces of a long list another host has the bus.
TEST_F(Scsi2, LongListOfDefects_LeavesTheBusToOthers) {
  Setup setup = two_hosts();
  drive::Zone& zone = setup.description.design.zones[0];
  setup.description.design.sparing.location = drive::SpareLocation::kZoneEnd;
  zone.spares = 320;
  for (std::uint32_t position = 0; position < 600; position += 2) zone.slips.push_back(position);
  power_on_ready(setup);
  const Completion short_list = execute(read_defect_data_10(true, false, kPhysicalSector, 4));
  EXPECT_EQ(outcome(short_list), "GOOD");
  EXPECT_EQ(big_endian(short_list.data, 2, 2), 300U * 8);
  const Ticket list = submit(read_defect_data_10(true, false, kPhysicalSector));
  const Ticket read = submit(tagged(read_10(0, 1), 1), 1);
  const Completion& listed = await(list);
  EXPECT_EQ(outcome(listed), "GOOD");
  ASSERT_EQ(listed.data.size(), 4U + 300 * 8);
  EXPECT_EQ(listed.times.disconnected.size(), 2U) << "1,024 bytes, 1,024 and 356";
  EXPECT_EQ(outcome(await(read)), "GOOD");
  for (std::uint32_t i = 0; i < 300; ++i) {
    // Positions count sector by sector, head by head (drive_design.h); 20 of them are a track.
    const std::uint32_t position = 2 * i;
    EXPECT_EQ(big_endian(listed.data, 4 + 8 * i, 3), position / 40) << i;
    EXPECT_EQ(listed.data[4 + 8 * i + 3], position / 20 % 2) << i;
  }
}

// ------------------------------------------------------------------------------ the drive's
// version

// SCSI-2 table 45, 7.2.2: a drive of that time. No command is sent.
TEST_F(Scsi2, DriveOfScsi2_ReportsItsVersion) {
  Setup setup = fast_setup();
  setup.description.design.scsi_version = 2;
  power_on_ready(setup);
  const Completion done = execute(inquiry());
  ASSERT_EQ(done.data.size(), 36U);
  EXPECT_EQ(done.data[2], 0x02);
  EXPECT_EQ(done.data[3], 0x02);
  EXPECT_EQ(done.data[4], 31);
  EXPECT_EQ(execute(inquiry_page(0x80)).data.size(), 16U);
  EXPECT_EQ(run(read_16(0, 1)), "GOOD");
  EXPECT_EQ(run(plain({0x00, 0xE0, 0, 0, 0, 0})), "GOOD") << "IDENTIFY has named the unit";
}

// SPC-2: bits 7-5 of byte 1 are reserved.
TEST_F(Scsi2, LaterDrive_AcceptsNoUnitInTheCdb) {
  power_on_fast();
  const Completion done = execute(plain({0x00, 0x20, 0, 0, 0, 0}));
  EXPECT_EQ(outcome(done), "5/24/00");
  EXPECT_EQ(specific(done.sense), "C0 00 01");
}

// ------------------------------------------------------------------------------------ long
// messages

// SCSI-2 6.6.14: the drive rejects a message of any length at its end, and accepts the next one.
TEST_F(Scsi2, MessageOfAnyLength_DoesNotHideTheNext) {
  power_on_ready();
  std::uint32_t lba = 100;
  for (const unsigned length : {1U, 13U, 14U, 30U, 31U, 64U, 255U, 0U}) {
    Bytes message = {1, static_cast<std::uint8_t>(length), 0x7F};
    message.resize(2 + (length == 0 ? 256 : length), 0xA5);
    Command command = write_10(lba, blocks().write(lba, 8));
    command.messages = {message, {1, 2, 3, 1}, {1, 3, 1, 25, 15}};
    EXPECT_EQ(outcome(await(submit(command), 100 * kMillisecond)), "GOOD") << length;
    EXPECT_EQ(blocks().first_difference(peek(lba, 8), blocks().expected(lba, 8), lba), std::nullopt)
        << length << ": one byte for each byte, not for two";
    expect_reads_back(lba, 8);
    lba += 8;
  }
}

}  // namespace
}  // namespace headstack::scenario
