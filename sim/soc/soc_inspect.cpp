// SPDX-License-Identifier: Apache-2.0
// The inspecting build: assertions of the RTL, FST waves, retired instructions.
#include <Vsoc_inspect.h>
#include <Vsoc_inspect___024root.h>

#include "sim/soc/core_csrs.hpp"
#include "sim/soc/fst_writer.hpp"
#include "sim/soc/verilated_soc.hpp"

// The function that Verilator calls once, before the first edge. It computes all combinational
// logic from the registers as they are.
void Vsoc_inspect___024root___eval_settle(Vsoc_inspect___024root* root);

namespace headstack::soc {
namespace {

// ibex_pkg.sv, ctrl_fsm_e: the state in which the core takes instructions.
constexpr unsigned kControllerDecode = 5;

// io_bridge.sv: the state of a register access (StReg), and the bits of its address (bus_pkg.sv).
constexpr unsigned kBridgeRegister = 1;
constexpr std::uint32_t kBridgeAddressMask = CoreAccess::kBufferBytes - 1;
// Size of a block's page of registers (reg_pkg.sv).
constexpr std::uint32_t kPageBytes = 0x1000;
constexpr std::uint32_t kPages = 8;

struct InspectTraits {
  static void rising_edge(VerilatedContext& context, Vsoc_inspect& model, ClockSet edges) {
    lower_clock(context, model);
    set_clocks(model, edges);
    model.eval();
  }

  static void lower_clock(VerilatedContext& context, Vsoc_inspect& model) {
    // An assertion that fails stops the context that this thread's variable names.
    Verilated::threadContextp(&context);
    set_clocks(model, 0);
    model.eval();
  }

  static CoreActivity activity(const Vsoc_inspect& model) {
    const auto& root = *model.rootp;
    CoreActivity activity;
    activity.asleep = model.core_sleep_o != 0;
    activity.retirement = {root.HEADSTACK_CORE_SIGNAL(instr_done_wb) != 0,
                           root.HEADSTACK_CORE_SIGNAL(pc_wb)};
    return activity;
  }

  static CoreStage stage(const Vsoc_inspect& model) {
    const auto& root = *model.rootp;
    CoreStage stage;
    const bool under_way = (root.HEADSTACK_CORE_SIGNAL(outstanding_load_wb) != 0 ||
                            root.HEADSTACK_CORE_SIGNAL(outstanding_store_wb) != 0) &&
                           root.HEADSTACK_CORE_SIGNAL(lsu_resp_valid) == 0;
    const bool valid = root.HEADSTACK_CORE_SIGNAL(instr_valid_id) != 0 &&
                       root.HEADSTACK_CORE_SIGNAL(
                           id_stage_i__DOT__controller_i__DOT__ctrl_fsm_cs) == kControllerDecode;
    stage.entered = root.HEADSTACK_CORE_SIGNAL(instr_new_id) != 0;
    // A failed access of an older instruction cancels this one.
    stage.ready =
        valid && !under_way && root.HEADSTACK_CORE_SIGNAL(id_stage_i__DOT__wb_exception) == 0;
    stage.pc = valid ? root.HEADSTACK_CORE_SIGNAL(pc_id) : root.HEADSTACK_CORE_SIGNAL(pc_if);
    const unsigned lanes = root.soc_top__DOT__data_be;
    stage.access = root.soc_top__DOT__data_req != 0 && root.soc_top__DOT__data_gnt != 0;
    stage.write = root.soc_top__DOT__data_we != 0;
    stage.address = root.soc_top__DOT__data_addr;
    // The accessed bytes of a word are adjacent.
    for (unsigned lane = 0; lane < 4 && (lanes >> lane & 1U) == 0; ++lane) ++stage.address;
    for (unsigned lane = 0; lane < 4; ++lane) stage.bytes += lanes >> lane & 1U;
    return stage;
  }

  static CoreRegisters registers(const Vsoc_inspect& model) {
    const auto& root = *model.rootp;
    CoreRegisters registers;
    for (std::size_t i = 1; i < registers.x.size(); ++i) {
      registers.x[i] = root.HEADSTACK_REGISTERS[i];
    }
    // The write-back stage writes this value at the next edge.
    if (root.HEADSTACK_CORE_SIGNAL(rf_we_wb) != 0 && root.HEADSTACK_CORE_SIGNAL(rf_waddr_wb) != 0) {
      registers.x[root.HEADSTACK_CORE_SIGNAL(rf_waddr_wb)] =
          root.HEADSTACK_CORE_SIGNAL(rf_wdata_wb);
    }
    registers.pc = stage(model).pc;
    registers.mstatus = mstatus_of(root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mstatus_q));
    registers.mie = interrupts_of(root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mie_q));
    registers.mtvec = root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mtvec_q);
    registers.mscratch = root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mscratch_q);
    registers.mepc = root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mepc_q);
    registers.mcause = mcause_of(root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mcause_q));
    registers.mtval = root.HEADSTACK_CORE_SIGNAL(cs_registers_i__DOT__mtval_q);
    registers.mip = root.soc_top__DOT__core_irq != 0 ? kExternalInterruptBit : 0;
    return registers;
  }

  static void set_register(Vsoc_inspect& model, unsigned number, std::uint32_t value) {
    auto& root = *model.rootp;
    // An older instruction must not write the same register at the next edge any more. That would
    // be the result of an operation or of a load; a store has none.
    if (root.HEADSTACK_CORE_SIGNAL(rf_we_wb) != 0 &&
        root.HEADSTACK_CORE_SIGNAL(rf_waddr_wb) == number) {
      root.HEADSTACK_CORE_SIGNAL(wb_stage_i__DOT__g_writeback_stage__DOT__rf_we_wb_q) = 0;
      root.HEADSTACK_CORE_SIGNAL(load_store_unit_i__DOT__data_we_q) = 1;
    }
    root.HEADSTACK_REGISTERS[number] = value;
    // The instruction has read its operands already: they are read again.
    Vsoc_inspect___024root___eval_settle(&root);
  }

  /// Loads as if the bridge had accepted the core's load at the last edge: the block answers now.
  static std::optional<std::uint32_t> load_register(Vsoc_inspect& model, std::uint32_t address) {
    auto& root = *model.rootp;
    root.soc_top__DOT__u_io_bridge__DOT__state_q = kBridgeRegister;
    root.soc_top__DOT__u_io_bridge__DOT__we_q = 0;
    root.soc_top__DOT__u_io_bridge__DOT__addr_q = address & kBridgeAddressMask;
    Vsoc_inspect___024root___eval_settle(&root);
    const auto answer =
        ports::RegRsp::of(root.soc_top__DOT__reg_rsp[address / kPageBytes % kPages]);
    if (answer.err) return std::nullopt;
    return answer.rdata;
  }

  static std::uint32_t buffer_word(const Vsoc_inspect& model, std::uint32_t word) {
    return model.rootp->soc_top__DOT__u_buffer_mgr__DOT__u_ram__DOT__mem[word];
  }

  void open_waves(VerilatedContext& context, Vsoc_inspect& model, const std::string& path,
                  const WaveSignals* beside) {
    waves.reset();
    // The writer takes its settings from the context that this thread's variable names.
    Verilated::threadContextp(&context);
    context.traceEverOn(true);
    waves = std::make_unique<FstWriter>(model, path, beside);
  }
  /// Evaluates the model, since Verilator writes no changes of a model that was not evaluated.
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
