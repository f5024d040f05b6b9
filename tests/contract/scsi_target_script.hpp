// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware's part in the scenarios of scsi_target: a minimal drive, which notes each event
/// with its cycle.
#pragma once

#include <fmt/format.h>

#include <functional>

#include "tests/contract/scsi_target_bench.hpp"

namespace headstack::contract {

using bus::Phase;
using initiator::Command;
using initiator::Completion;
using initiator::Direction;
using tlm::scsi_target_regs::IntrState;
using tlm::scsi_target_regs::Op;
namespace regs = tlm::scsi_target_regs;

constexpr unsigned kTargetId = 2;
constexpr unsigned kInitiatorId = 7;

/// The initiator's first message: IDENTIFY with disconnect privilege, LUN 0.
constexpr std::uint8_t kIdentify = 0xC0;

class Script {
 public:
  explicit Script(ScsiTargetBench& bench) : bench_(bench) {
    bench_.write(regs::IntrEnable::kOffset, 0x1FF);
    enable();
    bench_.step(100);  // bus free is recognised
  }

  ScsiTargetBench& bench() { return bench_; }
  void enable(bool on = true, bool takes = false) {
    bench_.write(regs::Ctrl::kOffset, regs::Ctrl{}
                                          .set_enable(on)
                                          .set_parity_check(true)
                                          .set_take_command(takes)
                                          .set_own_id(kTargetId)
                                          .word);
  }

  /// Runs until events are pending; notes and clears them. 0 past the limit.
  std::uint32_t await(unsigned limit_cycles = 40'000) {
    for (unsigned i = 0; i < limit_cycles && !bench_.irq(); ++i) bench_.step();
    if (!bench_.irq()) {
      bench_.note("nothing");
      return 0;
    }
    const std::uint64_t at = bench_.cycle();
    const std::uint32_t events = bench_.read(regs::IntrState::kOffset);
    bench_.write(regs::IntrState::kOffset, events);
    const regs::Status status = comparable(regs::Status{bench_.read(regs::Status::kOffset)});
    bench_.log.push_back(fmt::format("@{} events {:03x} status {:06x} residue {}", at, events,
                                     status.word, bench_.read(regs::Residue::kOffset)));
    return events;
  }

  void command(Op op, unsigned initiator = 0) {
    bench_.write(regs::Command::kOffset,
                 static_cast<std::uint32_t>(op) | initiator << regs::Command::kInitiatorIdShift);
  }
  /// `how`: masks of TRANSFER.
  void start_as(Phase phase, std::uint32_t count, std::uint32_t how) {
    bench_.write(regs::Transfer::kOffset,
                 count | static_cast<std::uint32_t>(phase) << regs::Transfer::kPhaseShift | how);
    command(Op::kTransfer);
  }
  void start(Phase phase, std::uint32_t count, bool dma = false) {
    start_as(phase, count, dma ? regs::Transfer::kDmaMask : 0);
  }
  /// Runs a transfer with the host port to its end.
  std::uint32_t transfer(Phase phase, std::uint32_t count) {
    start(phase, count, true);
    return await();
  }
  /// Moves at most 16 bytes through the FIFO.
  Bytes get(Phase phase, std::uint32_t count) {
    start(phase, count);
    await();
    return fetch();
  }
  /// Receives up to the end of an item, at most 16 bytes through the FIFO.
  Bytes get_whole(Phase phase, std::uint32_t count = 16) {
    start_as(phase, count, regs::Transfer::kWholeMask);
    await();
    return fetch();
  }
  /// Reads the content of the FIFO.
  Bytes fetch() {
    Bytes bytes;
    while ((bench_.read(regs::Status::kOffset) & regs::Status::kFifoLevelMask) != 0) {
      bytes.push_back(static_cast<std::uint8_t>(bench_.read(regs::Fifo::kOffset)));
    }
    std::string text = "got";
    for (const std::uint8_t byte : bytes) text += fmt::format(" {:02x}", byte);
    bench_.note(text);
    return bytes;
  }
  std::uint32_t put(Phase phase, const Bytes& bytes) {
    for (const std::uint8_t byte : bytes) bench_.write(regs::Fifo::kOffset, byte);
    start(phase, static_cast<std::uint32_t>(bytes.size()));
    return await();
  }
  /// Sends messages, then frees the bus unless ATN is asserted. @return the events.
  std::uint32_t put_last(const Bytes& bytes) {
    for (const std::uint8_t byte : bytes) bench_.write(regs::Fifo::kOffset, byte);
    start_as(Phase::kMessageIn, static_cast<std::uint32_t>(bytes.size()),
             regs::Transfer::kThenReleaseMask);
    return await();
  }
  /// Sends the status, then messages and bus free as long as ATN is false. @return the events.
  std::uint32_t put_status_and_messages(std::uint8_t status, const Bytes& messages) {
    bench_.write(regs::Fifo::kOffset, status);
    for (const std::uint8_t byte : messages) bench_.write(regs::Fifo::kOffset, byte);
    start_as(Phase::kStatus, 1, regs::Transfer::kThenMessageMask);
    return await();
  }
  /// Begins a reselection that sends messages by itself.
  void start_reselection(const Bytes& messages, unsigned initiator = kInitiatorId) {
    for (const std::uint8_t byte : messages) bench_.write(regs::Fifo::kOffset, byte);
    bench_.write(regs::Transfer::kOffset, regs::Transfer::kThenMessageMask);
    command(Op::kReselect, initiator);
  }
  /// Awaits these events, however many interrupts bring them. @return all that came.
  std::uint32_t await_all(std::uint32_t wanted) {
    std::uint32_t events = 0;
    while ((events & wanted) != wanted) {
      const std::uint32_t more = await();
      if (more == 0) break;
      events |= more;
    }
    return events;
  }
  bool attention() { return (bench_.read(regs::Status::kOffset) & regs::Status::kAtnMask) != 0; }
  Bytes messages() {
    Bytes all;
    while (attention()) {
      const Bytes one = get(Phase::kMessageOut, 1);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  void agree(unsigned period, unsigned offset, bool wide) {
    bench_.write(regs::Agreement::kOffset, period | offset << 8 | (wide ? 1U << 16 : 0));
  }

  /// Handles selection, messages and CDB.
  Bytes take_command(std::uint32_t cdb_bytes) {
    await();
    messages();
    return get(Phase::kCommand, cdb_bytes);
  }
  /// Handles the same with a host adapter that negotiates wide, Fast-10.
  void take_command_fast_wide(std::uint32_t cdb_bytes) {
    await();
    messages();
    put(Phase::kMessageIn, {1, 2, 3, 1});
    messages();
    put(Phase::kMessageIn, {1, 3, 1, 25, 15});
    get(Phase::kCommand, cdb_bytes);
    agree(4, 15, true);
  }
  void release() {
    command(Op::kRelease);
    await();
  }
  void disconnect(bool save_pointer = false) {
    if (save_pointer) put(Phase::kMessageIn, {0x02});
    put(Phase::kMessageIn, {0x04});
    release();
  }
  std::uint32_t reselect(unsigned initiator = kInitiatorId) {
    command(Op::kReselect, initiator);
    return await();
  }
  void complete(std::uint8_t status = 0) {
    put(Phase::kStatus, {status});
    put(Phase::kMessageIn, {0x00});
    release();
  }

  /// Submits a command; note_completions() notes its completion.
  void submit(Command command, std::size_t host = 0) {
    command.target = kTargetId;
    const std::size_t index = completions_.size();
    completions_.emplace_back();
    command.done = [this, index](Completion completion) {
      completions_[index] = std::move(completion);
    };
    bench_.host(host).submit(std::move(command));
  }
  void manage(initiator::ManagementKind kind) {
    initiator::Management management;
    management.kind = kind;
    management.target = kTargetId;
    const std::size_t index = completions_.size();
    completions_.emplace_back();
    management.done = [this, index](Completion completion) {
      completions_[index] = std::move(completion);
    };
    bench_.host().manage(std::move(management));
  }
  const std::optional<Completion>& completion(std::size_t index) const {
    return completions_[index];
  }

  /// Only whole sectors count at the host port: an incomplete sector begins again.
  bool whole_sectors = false;

  /// Notes all times of every command, to the picosecond, and its data.
  void note_completions() {
    for (const auto& completion : completions_) {
      if (!completion) {
        bench_.log.emplace_back("not done");
        continue;
      }
      const initiator::Times& t = completion->times;
      std::string text = fmt::format(
          "{} status {} moved {}+{} parity {} won {} selected {} command {} data {}..{} status {} "
          "complete {} finished {}",
          outcome_name(completion->outcome), completion->status, completion->bytes_moved,
          completion->bytes_beyond, completion->parity_errors, t.arbitration_won, t.selected,
          t.command_sent, t.data_first, t.data_last, t.status, t.complete, t.finished);
      for (const Picoseconds at : t.disconnected) text += fmt::format(" off {}", at);
      for (const Picoseconds at : t.reselected) text += fmt::format(" on {}", at);
      std::uint64_t sum = 0;
      for (const std::uint8_t byte : completion->data) sum = sum * 31 + byte;
      bench_.log.push_back(text + fmt::format(" data {:x}", sum));
    }
    Bytes sink = bench_.sink();
    if (whole_sectors) sink.resize(sink.size() / 512 * 512);
    std::uint64_t sum = 0;
    for (const std::uint8_t byte : sink) sum = sum * 31 + byte;
    bench_.log.push_back(fmt::format("sink {} {:x}", sink.size(), sum));
    bench_.log.push_back(fmt::format("violations {}", bench_.violations()));
  }

 private:
  ScsiTargetBench& bench_;
  std::deque<std::optional<Completion>> completions_;
};

using Scenario = std::function<void(Script&)>;

/// Runs the scenario on pins, then with transactions, and expects the same log, event by event and
/// edge by edge.
inline void expect_alike(const Scenario& scenario,
                         const std::vector<initiator::Config>& hosts = {initiator::Config{}}) {
  PinsBench pins("pins", hosts);
  pins.power_on();
  {
    Script script(pins);
    scenario(script);
    script.note_completions();
  }
  ModelBench model(hosts);
  {
    Script script(model);
    scenario(script);
    script.note_completions();
  }
  EXPECT_EQ(pins.log.size(), model.log.size());
  for (std::size_t i = 0; i < std::min(pins.log.size(), model.log.size()); ++i) {
    ASSERT_EQ(pins.log[i], model.log[i])
        << "line " << i << ", after " << (i == 0 ? "" : pins.log[i - 1]);
  }
}

}  // namespace headstack::contract
