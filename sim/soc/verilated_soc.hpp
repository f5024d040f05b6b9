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

  void step(std::uint64_t edge, ClockSet clocks) override {
    model_.mtime_i = edge;
    traits_.rising_edge(context_, model_, clocks);
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
  SingleThreadContext context_;
  Model model_;
  Traits traits_;
};

}  // namespace headstack::soc
