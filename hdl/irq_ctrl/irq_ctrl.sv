// SPDX-License-Identifier: Apache-2.0
// Interrupt controller: combines the levels of all blocks into one level to the core.
// Timing: combinational; a source stays pending until its own block is acknowledged.
module irq_ctrl (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  input  logic        irq_scsi_target_i,  // scsi_target requests attention
  input  logic        irq_buffer_mgr_i,  // buffer_mgr requests attention
  input  logic        irq_formatter_i,  // formatter requests attention
  input  logic        irq_servo_i,  // servo requests attention
  input  logic        irq_timer_i  // timer requests attention
);

  import irq_ctrl_regs_pkg::*;

  irq_ctrl__in_t  hwif_in;
  irq_ctrl__out_t hwif_out;

  assign hwif_in.PENDING.scsi_target.next = irq_scsi_target_i;
  assign hwif_in.PENDING.buffer_mgr.next  = irq_buffer_mgr_i;
  assign hwif_in.PENDING.formatter.next   = irq_formatter_i;
  assign hwif_in.PENDING.servo.next       = irq_servo_i;
  assign hwif_in.PENDING.timer.next       = irq_timer_i;

  assign irq_o = (irq_scsi_target_i & hwif_out.ENABLE.scsi_target.value)
               | (irq_buffer_mgr_i  & hwif_out.ENABLE.buffer_mgr.value)
               | (irq_formatter_i   & hwif_out.ENABLE.formatter.value)
               | (irq_servo_i       & hwif_out.ENABLE.servo.value)
               | (irq_timer_i       & hwif_out.ENABLE.timer.value);

  // No register here changes without an access; the core requests the clock when irq_o wakes it.
  assign clk_req_o = 1'b0;

  irq_ctrl_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

endmodule
