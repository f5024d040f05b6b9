// SPDX-License-Identifier: Apache-2.0
/// @file
/// The Verilated SoC behind a plain C++ interface. It includes no Verilator header, because those
/// clash with SystemC's.
///
/// One call is one rising clock edge; the caller handles everything between edges. The inputs are
/// those set before the call, the outputs those after it. SocClock (soc_clock.hpp) decides which
/// edges are needed, and ClockManager (clock_manager.hpp) at which simulated time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/soc/core_access.hpp"
#include "sim/soc/core_fault.hpp"
#include "sim/soc/elf_image.hpp"
#include "sim/soc/soc_ports.hpp"
#include "sim/soc/wave_signals.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

/// Two builds of the same RTL. They behave alike, bit for bit; a test checks it.
enum class SocBuild {
  kFast,     // function only, rising edges only
  kInspect,  // includes the RTL's assertions, waves, and the address of each retired instruction
};

/// An instruction that retired at the last edge.
struct Retirement {
  bool valid = false;
  std::uint32_t pc = 0;
};

/// The core's activity in the cycle that begins with the last edge.
struct CoreActivity {
  bool core_edge = false;  // the core requested that edge
  bool asleep = false;     // whether the core is in wfi
  Retirement retirement;   // instruction that retired at the edge
};

class SocModel;

class Soc final : public CoreAccess {
 public:
  explicit Soc(SocBuild build = SocBuild::kFast);  // the SoC in reset, RAM zero
  ~Soc() override;
  Soc(const Soc&) = delete;
  Soc& operator=(const Soc&) = delete;

  /// Puts a program into firmware RAM. Throws ElfError when it does not fit there.
  void load(const ElfImage& image);
  /// Goes through reset, to the state before edge 0. RAM keeps its content.
  void reset();

  void set_inputs(const SocInputs& inputs);
  /// Runs the rising edge with this number (mtime_i), which is at number * kClockPeriodPs.
  /// outputs() and report() change with edges of the blocks' clocks only.
  /// @return true where the edge has shown a fault of the core; once, and only after
  /// watch_faults().
  bool step(std::uint64_t edge, ClockSet clocks = clocks::kAll);

  /// Detects faults from the next edge on; `stack_limit` is the lowest value of sp, 0 for none.
  void watch_faults(std::uint32_t stack_limit);
  CoreFault fault() const;
  /// The core's approximate place: the instruction that has left it last.
  CoreFrame frame() const;

  SocOutputs outputs() const;
  SocClockState clock_state() const;
  SocReport report() const;
  /// The instruction that retired. Only in the inspecting build; an assertion otherwise.
  Retirement retirement() const;
  CoreActivity activity() const;  // only in the inspecting build; SocClock adds core_edge

  // For a debugger. Functions that read the core or the buffer need the inspecting build.
  CoreStage stage() const override;
  CoreRegisters registers() const override;
  void set_register(unsigned number, std::uint32_t value) override;
  bool asleep() const override { return clock_state().core_asleep; }
  std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const override;
  void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const override;

  std::optional<std::uint32_t> load_register(std::uint32_t address) override;

  /// Makes the clock fall between two edges. Only waves show it; nothing depends on it.
  void lower_clock();
  /// Opens an FST file for every signal of the SoC, and for `beside` if not null, which must
  /// outlive it. Like the functions below, it needs the inspecting build: an assertion otherwise.
  /// Throws std::runtime_error when the file cannot be made.
  void open_waves(const std::string& path, const WaveSignals* beside = nullptr);
  /// Writes the changes since the last write, with time `at`, which must be later. The caller that
  /// runs the edges chooses the time: see SocWaves.
  void write_waves(Picoseconds at);
  /// Makes the file readable up to here until the next write, even if this process ends.
  void flush_waves();
  void close_waves();
  /// Leaves the file alone from now on, in a process that was forked while the file was open.
  void abandon_waves();

  SocBuild build() const { return build_; }

 private:
  SocModel& inspected() const;

  SocBuild build_;
  std::unique_ptr<SocModel> model_;
};

}  // namespace headstack::soc
