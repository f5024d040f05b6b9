// SPDX-License-Identifier: Apache-2.0
// The block scsi_target on a bus with an initiator, another device, a host port and firmware.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "Vscsi_target.h"
#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"
#include "tests/rtl/scsi_checker.hpp"
#include "tests/rtl/scsi_initiator.hpp"
#include "tests/rtl/scsi_pins.hpp"

namespace headstack::scsi {

// hdl/regs/scsi_target.rdl
enum Register : unsigned {
  kRegCtrl = 0x00,
  kRegStatus = 0x04,
  kRegCommand = 0x08,
  kRegTransfer = 0x0C,
  kRegResidue = 0x10,
  kRegFifo = 0x14,
  kRegAgreement = 0x18,
  kRegIntrState = 0x20,
  kRegIntrEnable = 0x24
};
enum Operation : unsigned { kOpReselect = 1, kOpTransfer = 2, kOpRelease = 3, kOpAbort = 4 };
enum Event : unsigned {
  kSelected = 1U << 0,
  kReselected = 1U << 1,
  kArbitrationLost = 1U << 2,
  kReselectTimeout = 1U << 3,
  kTransferDone = 1U << 4,
  kParityError = 1U << 5,
  kAttention = 1U << 6,
  kBusReset = 1U << 7,
  kDisconnected = 1U << 8
};
constexpr unsigned kStatusConnected = 1U << 0;
constexpr unsigned kStatusBusy = 1U << 1;
constexpr unsigned kStatusAtn = 1U << 2;
constexpr unsigned kStatusSelectedWithAtn = 1U << 3;
constexpr unsigned kDma = 1U << 31;

inline Pins id_bits(std::initializer_list<unsigned> ids) {
  Pins bits = 0;
  for (const unsigned id : ids) bits |= 1U << (id + kDbShift);
  return bits;
}

/// Edge n + 1 samples a change of clock n. The state machines see it after edge n + 2, and the pins
/// show the reaction after edge n + 3. The three edges are those of the SoC's entry, the block's
/// own register, and the driver's.
constexpr unsigned kReactionClocks = 3;

class Bench {
 public:
  enum class Clocking { kGated, kAlways };
  static constexpr unsigned kOwnId = 2;
  static constexpr unsigned kInitiatorId = 7;

  explicit Bench(Clocking clocking = Clocking::kGated, std::uint64_t seed = 1)
      : initiator(seed), gated_(clocking == Clocking::kGated), random_(seed) {
    dut_.rst_ni = 0;
    dut_.clk_i = dut_.reg_clk_i = 0;
    dut_.eval();
    dut_.rst_ni = 1;
    dut_.eval();
    write(kRegCtrl, 3U | kOwnId << 4);
    run(100);  // bus free is recognised
  }
  ~Bench() {
    dut_.final();
    rtl_test::keep_coverage(context_);
    // Verilator 5.006 removes a model's scopes from the thread's context, not from the model's own.
    Verilated::threadContextp(&context_);
    for (const std::string& violation : checker.violations()) ADD_FAILURE() << violation;
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // --- Firmware
  // ------------------------------------------------------------------------------------
  void write(unsigned reg, std::uint32_t value) {
    dut_.reg_req_i = reg_port::request(true, reg, value);
    clock();
    EXPECT_FALSE(error_);
    dut_.reg_req_i = reg_port::kNone;
  }
  std::uint32_t read(unsigned reg) {
    dut_.reg_req_i = reg_port::request(false, reg, 0);
    clock();
    dut_.reg_req_i = reg_port::kNone;
    return read_data_;
  }
  bool access_failed() const { return error_; }
  bool irq() {
    dut_.eval();
    return dut_.irq_o != 0;
  }
  void command(Operation op, unsigned initiator_id = 0) {
    write(kRegCommand, op | initiator_id << 4);
  }
  void start_transfer(unsigned phase, std::uint32_t count, bool dma = false) {
    write(kRegTransfer, count | phase << 24 | (dma ? kDma : 0));
    command(kOpTransfer);
  }
  void agree(const Agreement& agreement) {
    initiator.agreement = agreement;
    checker.set_agreement(agreement);
    write(kRegAgreement,
          agreement.period | agreement.offset << 8 | (agreement.wide ? 1U << 16 : 0));
  }
  /// Runs until an event of the mask is pending, without register accesses. Clears and returns the
  /// pending events; 0 on time-out.
  std::uint32_t await(std::uint32_t mask, unsigned limit_clocks = 20000) {
    write(kRegIntrEnable, mask);
    for (unsigned i = 0; i < limit_clocks && !irq(); ++i) clock();
    if (!irq()) return 0;
    const std::uint32_t events = read(kRegIntrState);
    write(kRegIntrState, events);
    return events;
  }

  // --- Time
  // ----------------------------------------------------------------------------------------
  /// One clock period; with its edge only if a part requests it.
  void clock() {
    dut_.pins_i = entry_;
    host_in_ = {host_ready_, host_valid_ && !host_source.empty(),
                host_source.empty() ? std::uint8_t{0} : host_source.front()};
    dut_.host_i = host_in_.word();
    dut_.clk_i = dut_.reg_clk_i = 0;
    dut_.eval();
    sample_registers();
    const bool edge = !gated_ || dut_.clk_req_o != 0;
    const bool reg_edge = !gated_ || dut_.reg_clk_req_o != 0;
    asleep_ = dut_.clk_req_o == 0 && dut_.reg_clk_req_o == 0;
    move_host_bytes(edge);
    entry_ = bus();
    if (edge || reg_edge) {
      ++edges_;
      dut_.clk_i = edge;
      dut_.reg_clk_i = reg_edge;
      dut_.eval();
      dut_.clk_i = dut_.reg_clk_i = 0;
      dut_.eval();
    }
    ++now_;
    initiator.clock(bus());
    if (on_clock) on_clock();
    checker.observe(now_, target(), initiator.pins() | others);
    dither_host();
  }
  void run(unsigned clock_count) {
    for (unsigned i = 0; i < clock_count; ++i) clock();
  }
  /// Clocks until the condition holds; the limit + 1 if it does not.
  unsigned run_until(const std::function<bool()>& condition, unsigned limit_clocks = 20000) {
    for (unsigned i = 0; i <= limit_clocks; ++i) {
      if (condition()) return i;
      clock();
    }
    return limit_clocks + 1;
  }
  unsigned run_until_target(Pins pins, unsigned limit_clocks = 20000) {
    return run_until([&] { return (target() & pins) == pins; }, limit_clocks);
  }
  unsigned run_while_target(Pins pins, unsigned limit_clocks = 20000) {
    return run_until([&] { return (target() & pins) == 0; }, limit_clocks);
  }
  std::uint64_t now() const { return now_; }
  std::uint64_t edges() const { return edges_; }
  /// Whether the block requested no clock in the last period.
  bool asleep() const { return asleep_; }

  // --- The bus
  // -------------------------------------------------------------------------------------
  Pins target() const { return dut_.pins_o; }
  Pins bus() const { return target() | initiator.pins() | others; }

  /// Selects the target, and checks the answer: then it is connected.
  void connect(bool with_atn = false) {
    initiator.with_attention = with_atn;
    others = kSel | with_parity(id_bits({kOwnId, kInitiatorId}));
    ASSERT_LE(run_until_target(kBsy, 100), 100U);
    run(clocks(2 * timing_ns::kDeskewDelay));
    others = 0;
    ASSERT_EQ(await(kSelected), static_cast<std::uint32_t>(kSelected));
  }
  static Pins with_parity(Pins data) { return wide_data(db_of(data)); }

  Initiator initiator;
  BusChecker checker;
  Pins others = 0;  // pins that the test drives itself
  std::function<void()> on_clock;

  // --- Host port
  // -----------------------------------------------------------------------------------
  std::deque<std::uint8_t> host_source;
  std::vector<std::uint8_t> host_sink;
  unsigned host_valid_percent = 100;
  unsigned host_ready_percent = 100;

 private:
  void sample_registers() {
    error_ = reg_port::failed(dut_.reg_rsp_o);
    read_data_ = reg_port::data(dut_.reg_rsp_o);
  }
  ports::BytesToBuffer host_out() const { return ports::BytesToBuffer::of(dut_.host_o); }
  void move_host_bytes(bool edge) {
    const ports::BytesToBuffer out = host_out();
    const bool taken = host_in_.rd_valid && out.rd_ready;
    const bool given = out.wr_valid && host_in_.wr_ready;
    if (taken) host_source.pop_front();
    if (given) host_sink.push_back(out.wr_data);
    EXPECT_TRUE(edge || !(taken || given)) << "a byte moved in a clock nobody asked for";
  }
  void dither_host() {
    // Valid, once given, stays until the byte is taken.
    if (!(host_valid_ && !host_out().rd_ready)) host_valid_ = chance(host_valid_percent);
    host_ready_ = chance(host_ready_percent);
  }
  bool chance(unsigned percent) { return random_() % 100 < percent; }

  VerilatedContext context_;
  Vscsi_target dut_{&context_};
  bool gated_;
  std::mt19937_64 random_;
  ports::BytesFromBuffer host_in_;
  Pins entry_ = 0;  // the register at the SoC's entry
  std::uint64_t now_ = 0;
  std::uint64_t edges_ = 0;
  std::uint32_t read_data_ = 0;
  bool error_ = false;
  bool asleep_ = false;
  bool host_valid_ = false;
  bool host_ready_ = false;
};

}  // namespace headstack::scsi
