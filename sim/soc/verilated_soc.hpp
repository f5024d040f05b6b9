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

#include "hdl_ports.hpp"
#include "sim/soc/soc_model.hpp"

namespace headstack::soc {

/// A context without threads. Verilator would start one per processor of this machine, and a
/// process with threads cannot be forked for a snapshot.
struct SingleThreadContext : VerilatedContext {
  SingleThreadContext() { threads(1); }
};

// The places where Verilator puts a signal of ibex_core, the value of a CSR, and the registers.
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
    model_.channel_i =
        ports::ChannelIn{in.sector_pulse, in.index_pulse, in.byte_strobe, in.nrz, in.write_fault}
            .word();
    model_.hda_i = ports::HdaIn{in.read_ready, in.write_ready, in.at_speed, in.at_rest}.word();
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
    const ports::ChannelOut channel = ports::ChannelOut::of(model_.channel_o);
    out.read_gate = channel.read_gate;
    out.write_gate = channel.write_gate;
    out.nrz = channel.nrz;
    out.sector_listen = channel.sector_listen;
    out.index_listen = channel.index_listen;
    const ports::HdaOut hda = ports::HdaOut::of(model_.hda_o);
    out.seek_req = hda.seek_req;
    out.seek_cylinder = hda.seek_cylinder;
    out.seek_head = hda.seek_head;
    out.seek_for_write = hda.seek_for_write;
    out.recalibrate = hda.recalibrate;
    out.spin_up = hda.spin_up;
    out.spin_down = hda.spin_down;
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
    const ports::Event event = ports::Event::of(model_.event_o);
    report.event_valid = event.valid;
    report.event_number = event.number;
    report.event_argument = event.argument;
    const ports::Console console = ports::Console::of(model_.console_o);
    report.console_valid = console.valid;
    report.console_character = console.character;
    const ports::Exit exit = ports::Exit::of(model_.exit_o);
    report.exit_valid = exit.valid;
    report.exit_code = exit.code;
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
  /// Address of the instruction in the write-back stage, or of the last one there.
  std::uint32_t write_back_pc() const {
    return root().HEADSTACK_CORE_SIGNAL(wb_stage_i__DOT__g_writeback_stage__DOT__wb_pc_q);
  }
  /// mcause since reset, if it is an exception; the drive's cores take no interrupts. The upper two
  /// bits of the register distinguish interrupts from exceptions (ibex_pkg.sv, exc_cause_t). No
  /// exception of this core has the number 0.
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
