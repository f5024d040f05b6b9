// The inspecting build: assertions of the RTL, FST waves, retired instructions.
#include <Vsoc_inspect.h>
#include <Vsoc_inspect___024root.h>
#include <verilated_fst_c.h>

#include <stdexcept>

#include "sim/soc/verilated_soc.hpp"

namespace headstack::soc {
namespace {

struct InspectTraits {
  void rising_edge(VerilatedContext& context, Vsoc_inspect& model, std::uint64_t edge,
                   ClockEdge clocks) {
    // An assertion that fails stops the context that this thread's variable names.
    Verilated::threadContextp(&context);
    model.core_clk_i = 0;
    model.io_clk_i = 0;
    model.eval();
    if (waves != nullptr && edge > 0) waves->dump(edge * kClockPeriodPs - kClockPeriodPs / 2);
    model.core_clk_i = clocks.core;
    model.io_clk_i = clocks.io;
    model.eval();
    if (waves != nullptr) waves->dump(edge * kClockPeriodPs);
  }

  static Retirement retirement(const Vsoc_inspect& model) {
    return {
        model.rootp->soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__u_ibex_core__DOT__instr_done_wb !=
            0,
        model.rootp->soc_top__DOT__u_cpu__DOT__u_ibex_top__DOT__u_ibex_core__DOT__pc_wb};
  }

  void open_waves(VerilatedContext& context, Vsoc_inspect& model, const std::string& path) {
    close_waves();
    context.traceEverOn(true);
    waves = std::make_unique<VerilatedFstC>();
    waves->set_time_unit("1ps");
    waves->set_time_resolution("1ps");
    model.trace(waves.get(), 99);
    waves->open(path.c_str());
    if (!waves->isOpen()) {
      waves.reset();
      throw std::runtime_error(path + ": cannot be written; does its folder exist?");
    }
  }

  void close_waves() {
    if (waves != nullptr) waves->close();
    waves.reset();
  }

  std::unique_ptr<VerilatedFstC> waves;
};

}  // namespace

std::unique_ptr<SocModel> make_inspect_soc_model() {
  return std::make_unique<VerilatedSoc<Vsoc_inspect, InspectTraits>>();
}

}  // namespace headstack::soc
