// SPDX-License-Identifier: Apache-2.0
// The fast build: only rising edges, and only the part of Verilator's evaluation that they need.
//
// No process of the SoC uses a falling edge, so evaluating one would cost time and change nothing.
// Verilator finds edges by comparing the clock with its value at the evaluation before. This code
// sets that value to 0 instead of evaluating with a low clock.
//
// Every input goes into a register first, and no clock is made inside the SoC. So no logic settles
// before an edge, and an edge has only its own consequences. eval_nba() runs once, for the present
// triggers. eval() would also search for others before and after it.
//
// The version of Verilator is pinned. Another one that calls these functions differently would not
// compile, and a test compares with the build that evaluates everything.
#include <Vsoc_fast.h>
#include <Vsoc_fast___024root.h>

#include <type_traits>

#include "sim/soc/verilated_soc.hpp"

void Vsoc_fast___024root___eval_triggers__act(Vsoc_fast___024root* root);
void Vsoc_fast___024root___eval_nba(Vsoc_fast___024root* root);

namespace headstack::soc {
namespace {

/// Whether Verilator found logic between an input and the first register.
template <class Root, class = void>
struct HasInputLogic : std::false_type {};
template <class Root>
struct HasInputLogic<Root, std::void_t<decltype(Root::__VicoTriggered)>> : std::true_type {};
static_assert(!HasInputLogic<Vsoc_fast___024root>::value, "soc_top.sv registers its inputs");

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
    Vsoc_fast___024root___eval_triggers__act(&root);
    root.__VnbaTriggered = root.__VactTriggered;
    Vsoc_fast___024root___eval_nba(&root);
  }
  // Soc calls this only for the inspecting build.
  static CoreActivity activity(const Vsoc_fast&) { return {}; }
  static CoreStage stage(const Vsoc_fast&) { return {}; }
  static CoreRegisters registers(const Vsoc_fast&) { return {}; }
  static void set_register(Vsoc_fast&, unsigned, std::uint32_t) {}
  static std::uint32_t buffer_word(const Vsoc_fast&, std::uint32_t) { return 0; }
  static std::optional<std::uint32_t> load_register(Vsoc_fast&, std::uint32_t) {
    return std::nullopt;
  }
  static void inputs_changed(VerilatedContext&, Vsoc_fast&) {}
  // Soc refuses requests for waves of the fast build.
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
