// SPDX-License-Identifier: Apache-2.0
// The core: lowRISC Ibex, RV32IMC, set up for speed.
//
// Timing: the core has a write-back stage and a branch-target ALU. memcpy takes 1.07 cycles per
//         instruction with them, 1.96 without.
// Errors: a bus error is taken as an access fault trap. The trap vector table is at BootAddr, the
//         first instruction at BootAddr + 0x80.
module cpu #(
  parameter logic [31:0] BootAddr = 32'h0000_0000  // a multiple of 256
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        instr_req_o,
  output logic [31:0] instr_addr_o,
  input  logic        instr_gnt_i,
  input  logic        instr_rvalid_i,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,

  output logic        data_req_o,
  output logic        data_we_o,
  output logic [3:0]  data_be_o,
  output logic [31:0] data_addr_o,
  output logic [31:0] data_wdata_o,
  input  logic        data_gnt_i,
  input  logic        data_rvalid_i,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,

  input  logic        irq_external_i,  // the machine external interrupt
  // High while the core waits in wfi and nothing has woken it. At any other time the core needs the
  // clock.
  output logic        core_sleep_o
);

  // The core has no protection against attackers, so every output for that purpose stays
  // unconnected.
  logic unused_outputs;
  logic [6:0]                 data_wdata_intg;
  logic                       scramble_req;
  ibex_pkg::crash_dump_t      crash_dump;
  logic                       double_fault_seen;
  logic                       alert_minor;
  logic                       alert_major_internal;
  logic                       alert_major_bus;
  assign unused_outputs = ^{data_wdata_intg, scramble_req, crash_dump, double_fault_seen,
                            alert_minor, alert_major_internal, alert_major_bus};

  ibex_top #(
    .RV32M          (ibex_pkg::RV32MFast),
    .RV32B          (ibex_pkg::RV32BNone),
    // The register file that simulates fastest: one memory instead of 31 registers.
    .RegFile        (ibex_pkg::RegFileFPGA),
    .BranchTargetALU(1'b1),
    .WritebackStage (1'b1)
  ) u_ibex_top (
    .clk_i,
    .rst_ni,
    .test_en_i             (1'b0),
    .ram_cfg_i             ('0),
    .hart_id_i             ('0),
    .boot_addr_i           (BootAddr),

    .instr_req_o,
    .instr_gnt_i,
    .instr_rvalid_i,
    .instr_addr_o,
    .instr_rdata_i,
    .instr_rdata_intg_i    ('0),
    .instr_err_i,

    .data_req_o,
    .data_gnt_i,
    .data_rvalid_i,
    .data_we_o,
    .data_be_o,
    .data_addr_o,
    .data_wdata_o,
    .data_wdata_intg_o     (data_wdata_intg),
    .data_rdata_i,
    .data_rdata_intg_i     ('0),
    .data_err_i,

    .irq_software_i        (1'b0),
    .irq_timer_i           (1'b0),
    .irq_external_i,
    .irq_fast_i            ('0),
    .irq_nm_i              (1'b0),

    .scramble_key_valid_i  (1'b0),
    .scramble_key_i        ('0),
    .scramble_nonce_i      ('0),
    .scramble_req_o        (scramble_req),

    .debug_req_i           (1'b0),
    .crash_dump_o          (crash_dump),
    .double_fault_seen_o   (double_fault_seen),

    .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
    .alert_minor_o         (alert_minor),
    .alert_major_internal_o(alert_major_internal),
    .alert_major_bus_o     (alert_major_bus),
    .core_sleep_o,
    .scan_rst_ni           (1'b1)
  );

`ifndef SYNTHESIS
  initial a_boot_aligned : assert (BootAddr[7:0] == '0);
`endif

endmodule
