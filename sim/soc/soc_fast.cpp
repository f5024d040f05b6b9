// The fast build: rising edges only.
//
// Nothing in the SoC looks at a falling edge, so evaluating one would cost time and change nothing.
// Verilator finds edges by comparing the clock with its value at the evaluation before; we set that
// value to 0 instead of evaluating with a low clock. Verilator's version is pinned; another one
// that calls the variable differently would not compile, and a test compares with the build that
// evaluates both edges.
#include <Vsoc_fast.h>
#include <Vsoc_fast___024root.h>

#include "sim/soc/verilated_soc.hpp"

namespace headstack::soc {
namespace {

struct FastTraits {
  static void rising_edge(VerilatedContext&, Vsoc_fast& model, ClockSet edges) {
    auto& root = *model.rootp;
    root.__Vtrigrprev__TOP__core_clk_i = (edges & clocks::kCore) == 0;
    root.__Vtrigrprev__TOP__regs_clk_i = (edges & clocks::kRegs) == 0;
    root.__Vtrigrprev__TOP__pins_clk_i = (edges & clocks::kPins) == 0;
    root.__Vtrigrprev__TOP__media_clk_i = (edges & clocks::kMedia) == 0;
    root.__Vtrigrprev__TOP__scsi_clk_i = (edges & clocks::kScsi) == 0;
    root.__Vtrigrprev__TOP__buffer_clk_i = (edges & clocks::kBuffer) == 0;
    root.__Vtrigrprev__TOP__formatter_clk_i = (edges & clocks::kFormatter) == 0;
    set_clocks(model, clocks::kAll);
    model.eval();
  }
  // Soc asks only the inspecting build for these.
  static CoreActivity activity(const Vsoc_fast&) { return {}; }
  static CoreStage stage(const Vsoc_fast&) { return {}; }
  static CoreRegisters registers(const Vsoc_fast&) { return {}; }
  static void set_register(Vsoc_fast&, unsigned, std::uint32_t) {}
  static std::uint32_t buffer_word(const Vsoc_fast&, std::uint32_t) { return 0; }
  static void inputs_changed(VerilatedContext&, Vsoc_fast&) {}
  // Soc does not let anybody ask the fast build for waves.
  static void lower_clock(VerilatedContext&, Vsoc_fast&) {}
  static void open_waves(VerilatedContext&, Vsoc_fast&, const std::string&, const WaveSignals*) {}
  static void write_waves(Picoseconds) {}
  static void flush_waves() {}
  static void close_waves() {}
  static void abandon_waves() {}
};

}  // namespace

std::unique_ptr<SocModel> make_fast_soc_model() {
  return std::make_unique<VerilatedSoc<Vsoc_fast, FastTraits>>();
}

}  // namespace headstack::soc
