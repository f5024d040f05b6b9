// SPDX-License-Identifier: Apache-2.0
// Wake-up timer: compares the time base, which runs outside the gated clock, with one due time.
// Timing: mtime_i is the number of the clock edge that sampled it. The interrupt is high from the
// edge with number COMPARE on, even if COMPARE was past when it was written.
// The time base may stop with the clock, if it is right again at the first edge afterwards.
// timer_due_o and timer_armed_o give the latest time of that edge.
module timer (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  input  logic [63:0] mtime_i,  // the time base: number of the clock edge
  output logic [63:0] timer_due_o,  // the edge at which the interrupt comes
  output logic        timer_armed_o  // an interrupt is to come
);

  import timer_regs_pkg::*;

  timer__in_t  hwif_in;
  timer__out_t hwif_out;
  logic        expired;

  assign timer_due_o   = {hwif_out.COMPARE_HI.value.value, hwif_out.COMPARE_LO.value.value};
  assign expired       = hwif_out.CTRL.enable.value & (mtime_i >= timer_due_o);
  assign timer_armed_o = hwif_out.CTRL.enable.value & !expired;
  assign irq_o         = expired;
  // The clock gate outside watches the due time, and restarts the clocks.
  assign clk_req_o     = 1'b0;

  assign hwif_in.TIME_LO.value.next  = mtime_i[31:0];
  assign hwif_in.TIME_HI.value.next  = mtime_i[63:32];
  assign hwif_in.STATUS.expired.next = expired;

  timer_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

endmodule
