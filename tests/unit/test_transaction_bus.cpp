// SPDX-License-Identifier: Apache-2.0
// The transaction bus with host adapters and a target's registers, in what the pins do not decide:
// ideal electronics, several targets, and phases as commanded.
#include <gtest/gtest.h>

#include <memory>

#include "sim/tlm/blocks/scsi_target.hpp"
#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::tlm {
namespace {

namespace regs = scsi_target_regs;
using bus::Phase;
using initiator::Command;
using initiator::Completion;
using initiator::Outcome;
using regs::IntrState;
using regs::Op;

struct NoBuffer : HostPort {
  bool to_host() const override { return true; }
  std::uint32_t bytes_ready() const override { return ready; }
  Picoseconds ready_from() const override { return 0; }
  void read(std::uint8_t* to, std::uint32_t bytes) override {
    std::fill(to, to + bytes, std::uint8_t{0x5A});
    ready -= bytes;
  }
  void write(const std::uint8_t* /*from*/, std::uint32_t /*bytes*/) override {}
  void listen(Listener* /*listener*/) override {}
  std::uint32_t ready = 0;
};

struct NoLines : InterruptSink {
  void interrupt_level(unsigned /*line*/, bool /*level*/) override {}
};

/// A drive played by hand: it does what firmware would do, in no time.
struct Drive {
  Drive(TransactionBus& bus, unsigned id) : agenda(bus.agenda()), target(bus, buffer, lines) {
    write(regs::IntrEnable::kOffset, 0x1FF);
    write(regs::Ctrl::kOffset, regs::Ctrl{}.set_enable(true).set_own_id(id).word);
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    ASSERT_TRUE(target.write(offset, value));
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_TRUE(target.read(offset, value));
    return value;
  }
  std::uint32_t await() {
    while (!target.irq() && agenda.next() != Agenda::kNever) agenda.step();
    const std::uint32_t events = read(regs::IntrState::kOffset);
    write(regs::IntrState::kOffset, events);
    return events;
  }
  std::uint32_t command(Op op, unsigned initiator = 0) {
    write(regs::Command::kOffset, static_cast<std::uint32_t>(op) | initiator << 4);
    return await();
  }
  std::uint32_t transfer(Phase phase, std::uint32_t count, bool dma = false) {
    write(regs::Transfer::kOffset,
          count | static_cast<std::uint32_t>(phase) << 24 | (dma ? regs::Transfer::kDmaMask : 0));
    return command(Op::kTransfer);
  }
  void put(Phase phase, std::uint8_t byte) {
    write(regs::Fifo::kOffset, byte);
    EXPECT_EQ(transfer(phase, 1), IntrState::kTransferDoneMask);
  }
  void get(Phase phase, std::uint32_t count) {
    EXPECT_EQ(transfer(phase, count), IntrState::kTransferDoneMask);
    for (std::uint32_t i = 0; i < count; ++i) read(regs::Fifo::kOffset);
  }
  void complete() {
    put(Phase::kStatus, 0);
    put(Phase::kMessageIn, 0);
    EXPECT_EQ(command(Op::kRelease), IntrState::kDisconnectedMask);
  }

  Agenda& agenda;
  NoBuffer buffer;
  NoLines lines;
  ScsiTarget target;
};

Command read_bytes(std::uint8_t target, std::uint32_t length, Completion* result) {
  Command command;
  command.target = target;
  command.cdb = {0x28, 0, 0, 0, 0, 0, 0, 0, 8, 0};
  command.direction = initiator::Direction::kIn;
  command.length = length;
  command.done = [result](Completion completion) { *result = std::move(completion); };
  return command;
}

// DESIGN: with ideal electronics the bus takes no time at all.
TEST(TransactionBus, IdealElectronics_TakeNoTime) {
  Agenda agenda;
  TransactionBus bus(agenda, true);
  Drive drive(bus, 0);
  initiator::Config config;
  TransactionInitiator host(bus, config);
  agenda.run_to(1'234'567);
  Completion result;
  host.submit(read_bytes(0, 4'096, &result));
  EXPECT_EQ(drive.await(), IntrState::kSelectedMask);
  drive.get(Phase::kMessageOut, 1);
  drive.get(Phase::kCommand, 10);
  drive.put(Phase::kMessageIn, 0x04);
  EXPECT_EQ(drive.command(Op::kRelease), IntrState::kDisconnectedMask);
  EXPECT_EQ(drive.command(Op::kReselect, config.id), IntrState::kReselectedMask);
  drive.put(Phase::kMessageIn, 0x80);
  drive.buffer.ready = 4'096;
  EXPECT_EQ(drive.transfer(Phase::kDataIn, 4'096, true), IntrState::kTransferDoneMask);
  drive.complete();
  EXPECT_EQ(result.outcome, Outcome::kComplete);
  EXPECT_EQ(result.data, std::vector<std::uint8_t>(4'096, 0x5A));
  EXPECT_EQ(result.times.finished, 1'234'567);
  EXPECT_EQ(agenda.now(), 1'234'567);
}

// 6.1.3.1 b: 250 ms for an answer, then a selection abort time and two deskew delays. Bus settle +
// bus free (the bus has long been free), arbitration, bus clear + settle and two deskews come
// before that.
TEST(TransactionBus, NobodyThere_TimesOut) {
  Agenda agenda;
  TransactionBus bus(agenda);
  TransactionInitiator host(bus, {});
  Completion result;
  host.submit(read_bytes(3, 512, &result));
  agenda.run_to(2'400'000);
  EXPECT_EQ(bus.phase(), Phase::kArbitration);
  agenda.run_to(3'700'000);
  EXPECT_EQ(bus.phase(), Phase::kSelection);
  agenda.run_to(kPicosecondsPerSecond);
  EXPECT_EQ(result.outcome, Outcome::kSelectionTimeOut);
  EXPECT_EQ(result.times.finished,
            2'400'000 + 1'200'000 + 90'000 + 250'000'000'000 + 200'000'000 + 90'000);
  EXPECT_EQ(bus.phase(), Phase::kBusFree);
}

TEST(TransactionBus, TwoTargets_AreKeptApart) {
  Agenda agenda;
  TransactionBus bus(agenda);
  Drive first(bus, 0);
  Drive second(bus, 1);
  TransactionInitiator host(bus, {});
  Completion results[2];
  host.submit(read_bytes(1, 512, &results[1]));
  host.submit(read_bytes(0, 512, &results[0]));
  EXPECT_EQ(second.await(), IntrState::kSelectedMask);
  EXPECT_FALSE(first.target.irq());
  second.get(Phase::kMessageOut, 1);
  second.get(Phase::kCommand, 10);
  EXPECT_EQ(bus.phase(), Phase::kCommand);
  second.put(Phase::kMessageIn, 0x04);
  second.command(Op::kRelease);
  EXPECT_EQ(first.await(), IntrState::kSelectedMask);
  // 6.1.1: the bus is in use, so the other target's reselection waits.
  second.write(regs::Command::kOffset, static_cast<std::uint32_t>(Op::kReselect) | 7U << 4);
  first.get(Phase::kMessageOut, 1);
  first.get(Phase::kCommand, 10);
  first.complete();
  EXPECT_EQ(results[0].outcome, Outcome::kComplete);
  EXPECT_EQ(second.await(), IntrState::kReselectedMask);
  second.put(Phase::kMessageIn, 0x80);
  second.complete();
  EXPECT_EQ(results[1].outcome, Outcome::kComplete);
  EXPECT_TRUE(host.idle());
  EXPECT_EQ(bus.violation_count(), 0U);
}

// 6.1.9.2: when a target requests the messages again, the host asserts ATN only for more than one
// byte.
TEST(TransactionBus, OneMessageByteAgain_ComesWithoutAttention) {
  Agenda agenda;
  TransactionBus bus(agenda);
  Drive drive(bus, 0);
  TransactionInitiator host(bus, {});
  Completion result;
  host.submit(read_bytes(0, 512, &result));
  EXPECT_EQ(drive.await(), IntrState::kSelectedMask);
  drive.get(Phase::kMessageOut, 1);
  drive.get(Phase::kMessageOut, 1);
  drive.get(Phase::kCommand, 10);
  drive.complete();
  EXPECT_EQ(result.outcome, Outcome::kComplete);
}

// ABORT TAG removes a command that still waits in the host's queue. After that, no command needs
// the bus.
TEST(TransactionBus, AbortedInTheQueue_LeavesTheBusAlone) {
  Agenda agenda;
  TransactionBus bus(agenda);
  TransactionInitiator host(bus, {});
  Completion result;
  Command command = read_bytes(0, 512, &result);
  command.tag_type = initiator::TagType::kSimple;
  command.tag = 9;
  host.submit(std::move(command));
  initiator::Management management;
  management.kind = initiator::ManagementKind::kAbortTag;
  management.tag = 9;
  host.manage(std::move(management));
  EXPECT_EQ(result.outcome, Outcome::kAborted);
  agenda.run_to(kPicosecondsPerMillisecond);
  EXPECT_EQ(bus.phase(), Phase::kBusFree);
  EXPECT_EQ(agenda.next(), Agenda::kNever);
}

// 6.2.2: RST is asserted for the reset hold time. After it, no device arbitrates until the drives
// have recovered.
TEST(TransactionBus, Reset_HoldsAndRecovers) {
  Agenda agenda;
  TransactionBus bus(agenda);
  Drive drive(bus, 0);
  TransactionInitiator host(bus, {});
  agenda.run_to(clocks(40));
  host.reset_bus();
  Completion result;
  host.submit(read_bytes(0, 512, &result));
  agenda.run_to(clocks(40));
  EXPECT_EQ(bus.phase(), Phase::kReset);
  EXPECT_EQ(drive.await(), IntrState::kBusResetMask);
  EXPECT_EQ(agenda.now(), clocks(43)) << "two stages of synchronizer, one of state";
  agenda.run_to(clocks(40) + bus::timing::kResetHoldTime);
  EXPECT_EQ(bus.phase(), Phase::kBusFree);
  EXPECT_EQ(drive.await(), IntrState::kSelectedMask);
  EXPECT_GE(agenda.now(),
            clocks(40) + bus::timing::kResetHoldTime + bus::timing::kResetToSelectionTime);
}

}  // namespace
}  // namespace headstack::tlm
