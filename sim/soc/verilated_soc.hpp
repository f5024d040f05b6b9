// SPDX-License-Identifier: Apache-2.0
/// @file
/// SocModel on a class that Verilator makes from hdl/soc/soc_top.sv: the implementation of both
/// builds.
///
/// Include it after the Verilated headers, in one source file per build. `Model` is the Verilated
/// class. `Traits` holds the differences: evaluation of an edge, waves, and access to the core.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sim/soc/soc_model.hpp"

namespace headstack::soc {

/// A context without threads. Verilator would start one per processor of this machine, and a
/// process with threads cannot be forked for a snapshot.
struct SingleThreadContext : VerilatedContext {
  SingleThreadContext() { threads(1); }
};

// Where Verilator puts a signal of ibex_core, the value of a CSR, and the registers.
#define HEADSTACK_CORE_SIGNAL(signal) \
  soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__u_ibex_core__DOT__##signal
#define HEADSTACK_CSR(name) HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__u_##name##_csr__DOT__rdata_q)
#define HEADSTACK_REGISTERS \
  soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__gen_regfile_fpga__DOT__register_file_i__DOT__mem

template <class Model>
void set_clocks(Model& model, ClockSet high) {
  model.core_clk_i = (high & clocks::kCore) != 0;
  model.regs_clk_i = (high & clocks::kRegs) != 0;
  model.pins_clk_i = (high & clocks::kPins) != 0;
  model.media_clk_i = (high & clocks::kMedia) != 0;
  model.scsi_clk_i = (high & clocks::kScsi) != 0;
  model.buffer_clk_i = (high & clocks::kBuffer) != 0;
  model.formatter_clk_i = (high & clocks::kFormatter) != 0;
}

template <class Model, class Traits>
class VerilatedSoc : public SocModel {
 public:
  VerilatedSoc() : model_(&context_, "") {}

  ~VerilatedSoc() override {
    traits_.close_waves();
    // Parts of a model find their context in a variable of this thread, which a newer SoC may have
    // set.
    Verilated::threadContextp(&context_);
    model_.final();
  }

  void reset() override {
    set_inputs(SocInputs{});
    model_.mtime_i = 0;
    set_clocks(model_, 0);
    // The asynchronous reset acts on the falling edge of rst_ni.
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
    model_.eval();
  }

  void set_inputs(const SocInputs& in) override {
    model_.scsi_i = in.scsi;
    model_.read_ready_i = in.read_ready;
    model_.write_ready_i = in.write_ready;
    model_.at_speed_i = in.at_speed;
    model_.at_rest_i = in.at_rest;
    model_.write_fault_i = in.write_fault;
    model_.sector_pulse_i = in.sector_pulse;
    model_.index_pulse_i = in.index_pulse;
    model_.byte_strobe_i = in.byte_strobe;
    model_.nrz_i = in.nrz;
    traits_.inputs_changed(context_, model_);
  }

  bool step(std::uint64_t edge, ClockSet clocks) override {
    model_.mtime_i = edge;
    if (!watches_faults_) {
      traits_.rising_edge(context_, model_, clocks);
      return false;
    }
    const std::uint32_t sp = register_at(kStackPointer);
    const std::uint32_t pc = write_back_pc();
    traits_.rising_edge(context_, model_, clocks);
    const bool is_below = register_at(kStackPointer) < stack_limit_ && sp >= stack_limit_;
    if (!is_below && exception() == 0) return false;
    fault_.is_stack = exception() == 0;
    fault_.edge = edge;
    fault_.cause = exception();
    fault_.pc = is_below ? pc : root().HEADSTACK_CSR(mepc);
    fault_.value = is_below ? stack_limit_ : root().HEADSTACK_CSR(mtval);
    fault_.sp = register_at(kStackPointer);
    fault_.return_address = register_at(kReturnAddress);
    watches_faults_ = false;
    return true;
  }

  void watch_faults(std::uint32_t stack_limit) override {
    watches_faults_ = true;
    stack_limit_ = stack_limit;
  }
  CoreFault fault() const override { return fault_; }
  CoreFrame frame() const override {
    return {write_back_pc(), register_at(kStackPointer), register_at(kReturnAddress)};
  }

  SocOutputs outputs() const override {
    SocOutputs out;
    out.scsi = model_.scsi_o;
    out.seek_cylinder = model_.seek_cylinder_o;
    out.seek_head = model_.seek_head_o;
    out.nrz = model_.nrz_o;
    out.seek_for_write = model_.seek_for_write_o != 0;
    out.seek_req = model_.seek_req_o != 0;
    out.recalibrate = model_.recalibrate_o != 0;
    out.read_gate = model_.read_gate_o != 0;
    out.write_gate = model_.write_gate_o != 0;
    out.spin_up = model_.spin_up_o != 0;
    out.spin_down = model_.spin_down_o != 0;
    out.index_listen = model_.index_listen_o != 0;
    out.sector_listen = model_.sector_listen_o != 0;
    return out;
  }

  SocClockState clock_state() const override {
    SocClockState state;
    state.requests =
        clocks::kCore * model_.core_clk_req_o | clocks::kRegs * model_.regs_clk_req_o |
        clocks::kMedia * model_.media_clk_req_o | clocks::kScsi * model_.scsi_clk_req_o |
        clocks::kBuffer * model_.buffer_clk_req_o | clocks::kFormatter * model_.formatter_clk_req_o;
    state.core_asleep = model_.core_sleep_o != 0;
    state.timer_armed = model_.timer_armed_o != 0;
    state.timer_due = model_.timer_due_o;
    return state;
  }

  SocReport report() const override {
    SocReport report;
    report.event_valid = model_.event_valid_o != 0;
    report.console_valid = model_.console_valid_o != 0;
    report.exit_valid = model_.exit_valid_o != 0;
    report.event_number = model_.event_number_o;
    report.console_character = model_.console_character_o;
    report.event_argument = model_.event_argument_o;
    report.exit_code = model_.exit_code_o;
    return report;
  }

  CoreActivity activity() const override { return Traits::activity(model_); }
  CoreStage stage() const override { return Traits::stage(model_); }
  CoreRegisters registers() const override { return Traits::registers(model_); }
  void set_register(unsigned number, std::uint32_t value) override {
    Traits::set_register(model_, number, value);
  }

  std::uint32_t ram_word(std::uint32_t word) const override {
    return model_.rootp->soc_top__DOT__u_ram__DOT__mem_q[word];
  }
  void set_ram_word(std::uint32_t word, std::uint32_t value) override {
    model_.rootp->soc_top__DOT__u_ram__DOT__mem_q[word] = value;
  }
  std::optional<std::uint32_t> load_register(std::uint32_t address) override {
    return Traits::load_register(model_, address);
  }
  std::uint32_t buffer_word(std::uint32_t word) const override {
    return Traits::buffer_word(model_, word);
  }

  void lower_clock() override { traits_.lower_clock(context_, model_); }
  void open_waves(const std::string& path, const WaveSignals* beside) override {
    traits_.open_waves(context_, model_, path, beside);
  }
  void write_waves(Picoseconds at) override { traits_.write_waves(at); }
  void flush_waves() override { traits_.flush_waves(); }
  void close_waves() override { traits_.close_waves(); }
  void abandon_waves() override { traits_.abandon_waves(); }

 private:
  static constexpr std::size_t kReturnAddress = 1;
  static constexpr std::size_t kStackPointer = 2;

  const auto& root() const { return *model_.rootp; }
  std::uint32_t register_at(std::size_t number) const { return root().HEADSTACK_REGISTERS[number]; }
  /// Of the instruction that is there, or was there last.
  std::uint32_t write_back_pc() const {
    return root().HEADSTACK_CORE_SIGNAL(wb_stage_i__DOT__g_writeback_stage__DOT__wb_pc_q);
  }
  /// mcause since reset, if it is an exception; the drive's cores take no interrupts. The upper two
  /// bits of the register tell interrupts from exceptions (ibex_pkg.sv, exc_cause_t). No exception
  /// of this core has the number 0.
  std::uint32_t exception() const {
    constexpr std::uint32_t kInterrupts = 0x60;
    const std::uint32_t cause = root().HEADSTACK_CSR(mcause);
    return (cause & kInterrupts) == 0 ? cause : 0;
  }

  SingleThreadContext context_;
  Model model_;
  Traits traits_;
  bool watches_faults_ = false;
  std::uint32_t stack_limit_ = 0;
  CoreFault fault_;
};

}  // namespace headstack::soc
