/// @file
/// The Verilated SoC behind a plain C++ face: no Verilator header comes along (they clash with
/// SystemC's).
///
/// One call is one rising clock edge; everything between edges is the caller's business. The inputs
/// are those set before the call, the outputs those after it. When a clock must be given is
/// SocClock's knowledge (soc_clock.hpp), when in simulated time ClockManager's (clock_manager.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// The instruction that is next to act, in the cycle that begins with the last edge. An instruction
/// begins in the first cycle in which it is ready: then everything older is done, or is done with
/// this cycle, and nothing of it has happened yet.
struct CoreStage {
  bool entered = false;  // it was not there in the cycle before
  bool ready = false;    // it is there, and nothing older is under way that this cycle does not end
  std::uint32_t pc = 0;  // its address; without one, that of the instruction to come
  // It makes an access to data in this cycle, of the bytes from `address` on; a part of one, where
  // the access crosses a word.
  bool access = false;
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
};

/// The registers of the core as programs know them.
struct CoreRegisters {
  std::array<std::uint32_t, 32> x{};
  std::uint32_t pc = 0;
  std::uint32_t mstatus = 0;
  std::uint32_t mie = 0;
  std::uint32_t mtvec = 0;
  std::uint32_t mscratch = 0;
  std::uint32_t mepc = 0;
  std::uint32_t mcause = 0;
  std::uint32_t mtval = 0;
  std::uint32_t mip = 0;
};

class SocModel;

class Soc {
 public:
  explicit Soc(SocBuild build = SocBuild::kFast);  // in reset, RAM zero
  ~Soc();
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

  // For a debugger; the inspecting build only, an assertion otherwise.
  CoreStage stage() const;
  /// With what completes in this cycle: where an instruction begins, exactly what it finds. In the
  /// middle of one, `x` may have parts of it.
  CoreRegisters registers() const;
  /// Sets x[number], 1 to 31, where an instruction begins: that instruction finds it.
  void set_register(unsigned number, std::uint32_t value);

  static constexpr std::uint32_t kBufferBytes = 2048 * 1024;
  /// The sector buffer, from its byte `offset` on; an access past its end is an assertion.
  std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const;

  static constexpr std::uint32_t kRamBytes = kFirmwareRamBytes;
  /// Firmware RAM by the core's addresses; an access past its end is an assertion.
  std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const;
  void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes);

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
