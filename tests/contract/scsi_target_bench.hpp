// SPDX-License-Identifier: Apache-2.0
/// @file
/// scsi_target on a bus with host adapters: the Verilated block on pins, or its model on a
/// transaction bus. A scenario runs on either and makes a log; the two logs must be equal.
///
/// Cycle n begins with edge n. A register access takes one cycle: it reads the values of the cycle,
/// and a write acts with the edge that ends it. In each cycle without an access the log also gets
/// the registers that the block changes by itself, if one differs from the last time.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/bus/scsi_bus.hpp"
#include "sim/initiator/initiator.hpp"
#include "sim/tlm/blocks/scsi_target.hpp"
#include "sim/tlm/bus/transaction_link.hpp"
#include "tests/contract/scsi_target_pins.hpp"

namespace headstack::contract {

using Bytes = std::vector<std::uint8_t>;

/// Byte i of the host port's data.
inline std::uint8_t pattern(std::size_t i) { return static_cast<std::uint8_t>(i * 7 + i / 256); }

/// STATUS without the parts that the model lacks: the FIFO's level in a data phase, and ATN without
/// a connection.
inline tlm::scsi_target_regs::Status comparable(tlm::scsi_target_regs::Status status) {
  const bool is_data = bus::is_data(static_cast<bus::Phase>(status.phase()));
  if (status.busy() && is_data) status.set_fifo_level(0);
  if (!status.connected()) status.set_atn(false);
  return status;
}

class ScsiTargetBench {
 public:
  virtual ~ScsiTargetBench() = default;

  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;
  virtual bool irq() = 0;
  virtual initiator::HostAdapter& host(std::size_t index = 0) = 0;
  virtual std::uint64_t violations() const = 0;

  // Gives the host port more bytes towards the bus from this cycle on, which continue pattern().
  /// Offers more bytes towards the bus, which continue pattern().
  virtual void give(std::uint32_t bytes) = 0;
  /// Makes room for more bytes from the bus.
  virtual void make_room(std::uint32_t bytes) = 0;
  virtual const Bytes& sink() const = 0;

  void step(std::uint64_t cycles = 1) {
    for (; cycles != 0; --cycles) {
      look();
      pass();
    }
  }

  /// RST. At its time the model may have moved a byte more, so the cycles after it are not
  /// compared.
  void reset_bus() {
    look_away();
    host().reset_bus();
  }
  /// From now on only the registers that the script itself reads are compared.
  void look_away() { looks_ = false; }

  std::uint64_t cycle() const { return cycle_; }
  void note(const std::string& text) { log.push_back("@" + std::to_string(cycle_) + " " + text); }
  std::vector<std::string> log;

 protected:
  virtual void pass() = 0;
  /// The value that a read would return, without its effects.
  virtual std::uint32_t peek(std::uint32_t offset) = 0;
  /// Notes that a write happens in this cycle.
  void writes() { looks_from_ = cycle_ + kNextAccess; }

  std::uint64_t cycle_ = 0;

 private:
  /// Least cycles from an access of the core to its next one. The cycles in between cannot be
  /// observed.
  static constexpr std::uint64_t kNextAccess = 2;

  void look() {
    namespace regs = tlm::scsi_target_regs;
    if (cycle_ < looks_from_ || !looks_) return;
    const auto status = comparable(regs::Status{peek(regs::Status::kOffset)});
    // The model may count a byte of a running transfer up to two clocks early.
    const std::uint32_t residue = status.busy() ? 0 : peek(regs::Residue::kOffset);
    const std::string now = fmt::format("status {:08x} residue {:06x} events {:03x}", status.word,
                                        residue, peek(regs::IntrState::kOffset));
    if (now != seen_) note(now);
    seen_ = now;
  }

  bool looks_ = true;
  std::uint64_t looks_from_ = 0;
  std::string seen_;
};

/// The bench on pins.
class PinsBench : public ScsiTargetBench, public sc_core::sc_module {
 public:
  PinsBench(sc_core::sc_module_name name, const std::vector<initiator::Config>& hosts)
      : sc_module(name), port_(bus_.attach("target")) {
    port_.listen(0, 0);
    for (const initiator::Config& config : hosts) {
      hosts_.emplace_back(("host" + std::to_string(hosts_.size())).c_str(), bus_, config);
    }
    SC_METHOD(edge);
    sensitive << tick_;
  }
  /// Passes edge 0.
  void power_on() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    settle();
  }

  std::uint32_t read(std::uint32_t offset) override {
    block_.access(false, offset, 0);
    pass();
    EXPECT_FALSE(block_.failed());
    return block_.read_data();
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    writes();
    block_.access(true, offset, value);
    pass();
  }
  bool irq() override { return block_.irq(); }
  initiator::HostAdapter& host(std::size_t index) override { return hosts_.at(index); }
  std::uint64_t violations() const override { return bus_.violation_count(); }
  void give(std::uint32_t bytes) override {
    while (bytes-- != 0) block_.source.push_back(pattern(given_++));
  }
  void make_room(std::uint32_t bytes) override { block_.room += bytes; }
  const Bytes& sink() const override { return block_.sink; }

 private:
  SC_HAS_PROCESS(PinsBench);
  void pass() override {
    ++cycle_;
    sc_core::sc_start(bus::to_sc_time(tlm::kClockPeriodPs));
    settle();
  }
  std::uint32_t peek(std::uint32_t offset) override { return block_.peek(offset); }
  /// sc_start() returns before the events at its end time.
  static void settle() {
    while (sc_core::sc_pending_activity_at_current_time()) {
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
  }
  void edge() {
    block_.edge(port_.lines());
    port_.drive(block_.pins());
    tick_.notify(bus::to_sc_time(tlm::kClockPeriodPs));
  }

  bus::ScsiBus bus_{"bus"};
  bus::Port& port_;
  std::deque<initiator::Initiator> hosts_;
  ScsiTargetPins block_;
  sc_core::sc_event tick_;
  std::size_t given_ = 0;
};

/// The bench in transactions.
class ModelBench : public ScsiTargetBench {
 public:
  explicit ModelBench(const std::vector<initiator::Config>& hosts) {
    for (const initiator::Config& config : hosts) {
      hosts_.push_back(std::make_unique<tlm::TransactionInitiator>(bus_, config));
    }
  }

  std::uint32_t read(std::uint32_t offset) override {
    std::uint32_t value = 0;
    EXPECT_TRUE(target_.read(offset, value));
    pass();
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    writes();
    EXPECT_TRUE(target_.write(offset, value));
    pass();
  }
  bool irq() override { return target_.irq(); }
  initiator::HostAdapter& host(std::size_t index) override { return *hosts_.at(index); }
  std::uint64_t violations() const override { return bus_.violation_count(); }
  void give(std::uint32_t bytes) override {
    port_.to_host_ = true;
    port_.credit(bytes, agenda_.now());
  }
  void make_room(std::uint32_t bytes) override {
    port_.to_host_ = false;
    port_.credit(bytes, agenda_.now());
  }
  const Bytes& sink() const override { return port_.sink_; }

 private:
  struct Port : tlm::HostPort {
    bool to_host() const override { return to_host_; }
    std::uint32_t bytes_ready() const override { return ready_; }
    Picoseconds ready_from() const override { return from_; }
    void read(std::uint8_t* to, std::uint32_t bytes) override {
      for (std::uint32_t i = 0; i < bytes; ++i) to[i] = pattern(given_++);
      ready_ -= bytes;
    }
    void write(const std::uint8_t* from, std::uint32_t bytes) override {
      sink_.insert(sink_.end(), from, from + bytes);
      ready_ -= bytes;
    }
    void listen(Listener* listener) override { listener_ = listener; }
    void credit(std::uint32_t bytes, Picoseconds now) {
      if (ready_ == 0) from_ = now;
      ready_ += bytes;
      if (listener_ != nullptr) listener_->host_port_changed();
    }
    bool to_host_ = true;
    std::uint32_t ready_ = 0;
    Picoseconds from_ = 0;
    std::size_t given_ = 0;
    Bytes sink_;
    Listener* listener_ = nullptr;
  };
  struct Lines : tlm::InterruptSink {
    void interrupt_level(unsigned, bool) override {}
  };

  void pass() override {
    ++cycle_;
    agenda_.run_to(static_cast<Picoseconds>(cycle_) * tlm::kClockPeriodPs);
  }
  std::uint32_t peek(std::uint32_t offset) override {
    std::uint32_t value = 0;
    EXPECT_TRUE(target_.read(offset, value));
    return value;
  }

  tlm::Agenda agenda_;
  tlm::TransactionBus bus_{agenda_};
  Port port_;
  Lines lines_;
  tlm::ScsiTarget target_{bus_, port_, lines_};
  std::vector<std::unique_ptr<tlm::TransactionInitiator>> hosts_;
};

}  // namespace headstack::contract
