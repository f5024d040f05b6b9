/// @file
/// The Verilated SoC behind a plain C++ face: no Verilator header comes along (they clash with
/// SystemC's).
///
/// One call is one rising clock edge; everything between edges is the caller's business. The inputs
/// are those set before the call, the outputs those after it. When a clock must be given is
/// SocClock's knowledge (soc_clock.hpp), when in simulated time ClockManager's (clock_manager.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/soc/core_access.hpp"
#include "sim/soc/elf_image.hpp"
#include "sim/soc/soc_ports.hpp"
#include "sim/soc/wave_signals.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

/// Two builds of the same RTL. They behave alike, bit for bit; a test holds it.
enum class SocBuild {
  kFast,     // nothing but the function, rising edges only
  kInspect,  // with the RTL's assertions, waves, and the address of each retired instruction
};

/// An instruction that retired at the last edge.
struct Retirement {
  bool valid = false;
  std::uint32_t pc = 0;
};

/// What the core does in the cycle that begins with the last edge.
struct CoreActivity {
  bool core_edge = false;  // the core had asked for that edge
  bool asleep = false;     // in wfi
  Retirement retirement;   // at the edge
};

class SocModel;

class Soc final : public CoreAccess {
 public:
  explicit Soc(SocBuild build = SocBuild::kFast);  // in reset, RAM zero
  ~Soc() override;
  Soc(const Soc&) = delete;
  Soc& operator=(const Soc&) = delete;

  /// Puts a program into firmware RAM. Throws ElfError when it does not fit there.
  void load(const ElfImage& image);
  /// Into and out of reset: the state in which edge 0 finds it. RAM stays.
  void reset();

  void set_inputs(const SocInputs& inputs);
  /// The rising edge with this number (mtime_i): at number * kClockPeriodPs. outputs() and report()
  /// change with edges of the blocks' clocks only.
  void step(std::uint64_t edge, ClockSet clocks = clocks::kAll);

  SocOutputs outputs() const;
  SocClockState clock_state() const;
  SocReport report() const;
  /// Only the inspecting build knows; an assertion otherwise.
  Retirement retirement() const;
  CoreActivity activity() const;  // likewise; without core_edge, which the clock knows

  // For a debugger; what shows the core, or the buffer, is of the inspecting build only.
  CoreStage stage() const override;
  CoreRegisters registers() const override;
  void set_register(unsigned number, std::uint32_t value) override;
  bool asleep() const override { return clock_state().core_asleep; }
  std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const override;
  void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const override;

  /// The clock falls between two edges. Nothing hangs on it; waves show it.
  void lower_clock();
  /// An FST file for every signal of the SoC, and `beside` if not null, which must outlive it. The
  /// inspecting build only, an assertion otherwise; so for all that follow. Throws
  /// std::runtime_error when the file cannot be made.
  void open_waves(const std::string& path, const WaveSignals* beside = nullptr);
  /// All that has changed since the last write, at `at`, which must be later. Whoever runs the
  /// edges says when: see SocWaves.
  void write_waves(Picoseconds at);
  /// The file can be read up to the next write, whatever becomes of this process.
  void flush_waves();
  void close_waves();
  /// For a process that was forked while the file was open: forgets it, and does not touch it.
  void abandon_waves();

  SocBuild build() const { return build_; }

 private:
  SocModel& inspected() const;

  SocBuild build_;
  std::unique_ptr<SocModel> model_;
};

}  // namespace headstack::soc
