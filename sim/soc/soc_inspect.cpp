// The inspecting build: assertions of the RTL, FST waves, retired instructions.
#include <Vsoc_inspect.h>
#include <Vsoc_inspect___024root.h>

#include "sim/soc/fst_writer.hpp"
#include "sim/soc/verilated_soc.hpp"

namespace headstack::soc {
namespace {

// hdl/bus/io_bridge.sv, state_e; hdl/README.md, addresses.
constexpr unsigned kBridgeRegister = 1;
constexpr unsigned kBridgeRequest = 2;
constexpr std::uint32_t kRegisters = 0x4000'0000;
constexpr std::uint32_t kRegistersMask = 0x7FFF;
constexpr std::uint32_t kBufferWindow = 0x5000'0000;

struct InspectTraits {
  static void rising_edge(VerilatedContext& context, Vsoc_inspect& model, ClockEdge clocks) {
    lower_clock(context, model);
    model.core_clk_i = clocks.core;
    model.io_clk_i = clocks.io;
    model.eval();
  }

  static void lower_clock(VerilatedContext& context, Vsoc_inspect& model) {
    // An assertion that fails stops the context that this thread's variable names.
    Verilated::threadContextp(&context);
    model.core_clk_i = 0;
    model.io_clk_i = 0;
    model.eval();
  }

  static CoreActivity activity(const Vsoc_inspect& model) {
    const auto& root = *model.rootp;
    CoreActivity activity;
    activity.asleep = model.core_sleep_o != 0;
    activity.interrupt = root.soc_top__DOT__core_irq != 0;
    activity.retirement = {
        root.soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__u_ibex_core__DOT__instr_done_wb != 0,
        root.soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__u_ibex_core__DOT__pc_wb};
    const std::uint32_t offset = root.soc_top__DOT__u_io_bridge__DOT__addr_q;
    const bool in_register = root.soc_top__DOT__u_io_bridge__DOT__state_q == kBridgeRegister;
    const bool in_buffer = root.soc_top__DOT__u_io_bridge__DOT__state_q == kBridgeRequest &&
                           root.soc_top__DOT__u_io_bridge__DOT__core_gnt_i != 0;
    activity.access = in_register || in_buffer;
    activity.write = root.soc_top__DOT__u_io_bridge__DOT__we_q != 0;
    activity.address =
        in_register ? kRegisters | (offset & kRegistersMask) : kBufferWindow | offset;
    activity.data = root.soc_top__DOT__u_io_bridge__DOT__wdata_q;
    return activity;
  }

  void open_waves(VerilatedContext& context, Vsoc_inspect& model, const std::string& path,
                  const WaveSignals* beside) {
    waves.reset();
    // The writer takes its settings from the context that this thread's variable names.
    Verilated::threadContextp(&context);
    context.traceEverOn(true);
    waves = std::make_unique<FstWriter>(model, path, beside);
  }
  /// Verilator writes nothing of a model that was not evaluated since the last time.
  void inputs_changed(VerilatedContext& context, Vsoc_inspect& model) {
    if (waves == nullptr) return;
    Verilated::threadContextp(&context);
    model.eval();
  }
  void write_waves(Picoseconds at) { waves->write(at); }
  void flush_waves() { waves->flush(); }
  void close_waves() { waves.reset(); }
  void abandon_waves() {
    if (waves != nullptr) waves->abandon();
    waves.reset();
  }

  std::unique_ptr<FstWriter> waves;
};

}  // namespace

std::unique_ptr<SocModel> make_inspect_soc_model() {
  return std::make_unique<VerilatedSoc<Vsoc_inspect, InspectTraits>>();
}

}  // namespace headstack::soc
